/** Reads every sealed value of all features, because a change of the secret key must reach all of them. */
import { sql } from 'kysely'
import { anyRowChanged, type Database } from '../database/index.ts'
import {
  keyPairSealingPurpose,
  rootKeyPurpose,
  SEAL_CHECK_PURPOSE,
  secondFactorPurpose,
  signingKeyPurpose,
} from './sealing-purposes.ts'

interface SealedValue {
  /** The name for messages, such as `root key 3`. */
  readonly name: string
  readonly purpose: string
  readonly sealed: Uint8Array
  /** Stores a new value. Returns false if the value has changed since it was read. */
  replace(sealed: Uint8Array): Promise<boolean>
}

export interface SealedValueStore {
  /**
   * Returns a handful of values for each rotation and brand, and one for each second factor. The last is the
   * seal check, which a start uses to check its secret.
   */
  all(): Promise<readonly SealedValue[]>
}

declare module '../change.ts' {
  interface InChange {
    readonly sealedValues: SealedValueStore
  }
}

export function sealedValueStore({ query }: Pick<Database, 'query'>): SealedValueStore {
  /** Returns a function that changes one row, by primary key, if it still has the value that was read. */
  const replacing =
    (
      { table, column, key }: Readonly<Record<'table' | 'column' | 'key', string>>,
      id: number | string,
      read: Uint8Array,
    ) =>
    async (sealed: Uint8Array) => {
      const result = await sql`
        update ${sql.table(table)} set ${sql.ref(column)} = ${sealed}
        where ${sql.ref(key)} = ${id} and ${sql.ref(column)} = ${read}
      `.execute(query)
      return anyRowChanged(result)
    }
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
        ...rootKeys.map(({ id, sealed }) => ({
          name: `root key ${id}`,
          purpose: rootKeyPurpose(id),
          sealed,
          replace: replacing({ table: 'root_key', column: 'sealed', key: 'id' }, id, sealed),
        })),
        ...keyPairs.map(({ id, purpose, sealed_private_key: sealed }) => ({
          name: `${purpose} key pair ${id}`,
          purpose: keyPairSealingPurpose({ id, purpose }),
          sealed,
          replace: replacing({ table: 'key_pair', column: 'sealed_private_key', key: 'id' }, id, sealed),
        })),
        ...signingKeys.map(({ key_id, sealed }) => ({
          name: `signing key ${key_id}`,
          purpose: signingKeyPurpose(key_id),
          sealed,
          replace: replacing({ table: 'signing_key', column: 'sealed', key: 'key_id' }, key_id, sealed),
        })),
        ...secondFactors.map(({ id, sealed }) => ({
          name: `second factor ${id}`,
          purpose: secondFactorPurpose(id),
          sealed,
          replace: replacing({ table: 'second_factor', column: 'sealed', key: 'id' }, id, sealed),
        })),
        ...checks.map(({ id, sealed }) => ({
          name: 'seal check',
          purpose: SEAL_CHECK_PURPOSE,
          sealed,
          replace: replacing({ table: 'seal_check', column: 'sealed', key: 'id' }, id, sealed),
        })),
      ]
    },
  }
}
