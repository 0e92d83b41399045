/** The serial assertions of the register: the table `serial_assertion`. */
import type { DeviceId } from '@ratafia/api'
import { anyRowChanged, type Database, type SerialAssertionTable, toInstant } from '../../database/index.ts'
import type { DeviceRef, SerialAssertion } from '../device.ts'

export interface SerialAssertionStore {
  /** Stores a serial assertion. Returns false, and changes nothing, if this revision is already stored. */
  addSerialAssertion(assertion: SerialAssertion, at: Date): Promise<boolean>
  /** Returns the device's assertions, sorted by revision. */
  serialAssertionsOf(device: DeviceRef): Promise<readonly SerialAssertion[]>
  /** Returns the newest assertion. */
  findSerialAssertion(device: DeviceRef): Promise<SerialAssertion | undefined>
}

export function serialAssertionStore({ query }: Pick<Database, 'query'>): SerialAssertionStore {
  /** Uses the index serial_assertion_device. */
  const ofDevice = ({ id, bucket }: DeviceRef) =>
    query
      .selectFrom('serial_assertion')
      .selectAll()
      .where((where) => where.and({ device_id: id, bucket }))

  return {
    async addSerialAssertion(assertion, at) {
      const result = await query
        .insertInto('serial_assertion')
        .values(assertionRow(assertion, at))
        .onConflict((conflict) =>
          conflict.columns(['brand_id', 'model', 'serial', 'revision', 'bucket']).doNothing(),
        )
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    async serialAssertionsOf(device) {
      const rows = await ofDevice(device).orderBy('revision').execute()
      return rows.map(assertionOf)
    },

    async findSerialAssertion(device) {
      const row = await ofDevice(device).orderBy('revision', 'desc').limit(1).executeTakeFirst()
      return row && assertionOf(row)
    },
  }
}

export const assertionRow = (assertion: SerialAssertion, at: Date): SerialAssertionTable => ({
  brand_id: assertion.brandId,
  model: assertion.model,
  serial: assertion.serial,
  revision: assertion.revision,
  bucket: assertion.bucket,
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
    bucket: row.bucket,
    encoded: row.encoded,
    authorityId: row.authority_id,
    signingKeyId: row.signing_key_id,
  }
}
