/** The serial assertions of the register: the table `serial_assertion`. */
import type { DeviceId } from '@ratafia/api'
import { anyRowChanged, type Database, type SerialAssertionTable, toInstant } from '../database/index.ts'
import type { SerialAssertion, SerialName } from './device.ts'

export interface SerialAssertionStore {
  /** False if this revision is stored already: it stays as it is. */
  addSerialAssertion(assertion: SerialAssertion, at: Date): Promise<boolean>
  /** The newest revision. */
  findSerialAssertion(name: SerialName): Promise<SerialAssertion | undefined>
  /** By revision. */
  serialAssertionsOf(id: DeviceId): Promise<readonly SerialAssertion[]>
}

export function serialAssertionStore({ query }: Pick<Database, 'query'>): SerialAssertionStore {
  const serialAssertions = () => query.selectFrom('serial_assertion').selectAll()

  return {
    async addSerialAssertion(assertion, at) {
      const result = await query
        .insertInto('serial_assertion')
        .values(assertionRow(assertion, at))
        .onConflict((conflict) => conflict.columns(['brand_id', 'model', 'serial', 'revision']).doNothing())
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    async findSerialAssertion({ brandId, model, serial }) {
      // The primary key begins with these.
      const row = await serialAssertions()
        .where((where) => where.and({ brand_id: brandId, model, serial }))
        .orderBy('revision', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && assertionOf(row)
    },

    async serialAssertionsOf(id) {
      // Index serial_assertion_device.
      const rows = await serialAssertions().where('device_id', '=', id).orderBy('revision').execute()
      return rows.map(assertionOf)
    },
  }
}

export const assertionRow = (assertion: SerialAssertion, at: Date): SerialAssertionTable => ({
  brand_id: assertion.brandId,
  model: assertion.model,
  serial: assertion.serial,
  revision: assertion.revision,
  device_id: assertion.deviceId,
  encoded: assertion.encoded,
  authority_id: assertion.authorityId,
  signing_key_id: assertion.signingKeyId,
  stored_at: toInstant(at),
})

export function assertionOf(row: SerialAssertionTable): SerialAssertion {
  return {
    brandId: row.brand_id,
    model: row.model,
    serial: row.serial,
    revision: row.revision,
    deviceId: row.device_id as DeviceId,
    encoded: row.encoded,
    authorityId: row.authority_id,
    signingKeyId: row.signing_key_id,
  }
}
