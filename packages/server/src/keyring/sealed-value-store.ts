/** Reads every sealed value of all features, because a change of the secret key must reach all of them. */
import { sql } from 'kysely'
import { anyRowChanged, type Database } from '../database/index.ts'
import {
  keyPairSealingPurpose,
  rootKeyPurpose,
  SEAL_CHECK_PURPOSE,
  secondFactorPurpose,
  signingKeyPurpose,
} from './sealing.ts'

interface SealedValue {
  /** The name for messages, such as `root key 3`. */
  readonly name: string
  readonly purpose: string
  readonly sealed: Uint8Array
  /** Stores a new value. Returns false if the value has changed since it was read. */
  replace(sealed: Uint8Array): Promise<boolean>
}

export interface SealedValueStore {
  /** Returns a handful of values per rotation and brand, one per second factor, and last the seal check of starts. */
  all(): Promise<readonly SealedValue[]>
}

declare module '../change.ts' {
  interface InChange {
    readonly sealedValues: SealedValueStore
  }
}

export function sealedValueStore({ query }: Pick<Database, 'query'>): SealedValueStore {
  /** `replace` changes the row, by primary key, if it still has the value that was read. */
  const value = (
    { table, column = 'sealed', key = 'id' }: { table: string; column?: string; key?: string },
    id: number | string,
    { name, purpose, sealed }: Omit<SealedValue, 'replace'>,
  ): SealedValue => ({
    ...{ name, purpose, sealed },
    async replace(replacement) {
      const result = await sql`
        update ${sql.table(table)} set ${sql.ref(column)} = ${replacement}
        where ${sql.ref(key)} = ${id} and ${sql.ref(column)} = ${sealed}
      `.execute(query)
      return anyRowChanged(result)
    },
  })
  return {
    // Reads small tables as a whole.
    async all() {
      const rootKeys = await query.selectFrom('root_key').selectAll().orderBy('id').execute()
      const keyPairs = await query.selectFrom('key_pair').selectAll().orderBy('id').execute()
      const signingKeys = await query.selectFrom('signing_key').selectAll().orderBy('key_id').execute()
      const secondFactors = await query
        .selectFrom('second_factor')
        .select(['id', 'sealed'])
        .orderBy('id')
        .execute()
      const checks = await query.selectFrom('seal_check').selectAll().execute()
      return [
        ...rootKeys.map(({ id, sealed }) =>
          value({ table: 'root_key' }, id, { name: `root key ${id}`, purpose: rootKeyPurpose(id), sealed }),
        ),
        ...keyPairs.map(({ id, purpose: of, sealed_private_key: sealed }) => {
          const purpose = keyPairSealingPurpose({ id, purpose: of })
          const place = { table: 'key_pair', column: 'sealed_private_key' }
          return value(place, id, { name: `${of} key pair ${id}`, purpose, sealed })
        }),
        ...signingKeys.map(({ key_id: id, sealed }) => {
          const purpose = signingKeyPurpose(id)
          return value({ table: 'signing_key', key: 'key_id' }, id, {
            name: `signing key ${id}`,
            purpose,
            sealed,
          })
        }),
        ...secondFactors.map(({ id, sealed }) => {
          const purpose = secondFactorPurpose(id)
          return value({ table: 'second_factor' }, id, { name: `second factor ${id}`, purpose, sealed })
        }),
        ...checks.map(({ id, sealed }) =>
          value({ table: 'seal_check' }, id, { name: 'seal check', purpose: SEAL_CHECK_PURPOSE, sealed }),
        ),
      ]
    },
  }
}
