/** Every sealed value in the database, of any feature: a change of the secret key must reach all of them. */
import type { UpdateResult } from 'kysely'
import { anyRowChanged, type Database } from '../database/index.ts'
import {
  keyPairSealingPurpose,
  rootKeyPurpose,
  SEAL_CHECK_PURPOSE,
  signingKeyPurpose,
} from './sealing-purposes.ts'

export interface SealedValue {
  /** For messages: `root key 3`. */
  readonly name: string
  readonly purpose: string
  readonly sealed: Uint8Array
  /** False if the value has changed since it was read. */
  replace(sealed: Uint8Array): Promise<boolean>
}

export interface SealedValueStore {
  /** A handful for each rotation and brand. Last comes the seal check, which tells a start if its secret is right. */
  all(): Promise<readonly SealedValue[]>
}

export function sealedValueStore({ query }: Pick<Database, 'query'>): SealedValueStore {
  const happened = async (update: Promise<UpdateResult>) => anyRowChanged(await update)
  return {
    // Queries read whole small tables; updates change one row, by primary key, if it still has the value read.
    async all() {
      const rootKeys = await query.selectFrom('root_key').selectAll().orderBy('id').execute()
      const keyPairs = await query.selectFrom('key_pair').selectAll().orderBy('id').execute()
      const signingKeys = await query.selectFrom('signing_key').selectAll().orderBy('key_id').execute()
      const checks = await query.selectFrom('seal_check').selectAll().execute()
      return [
        ...rootKeys.map(({ id, sealed }) => ({
          name: `root key ${id}`,
          purpose: rootKeyPurpose(id),
          sealed,
          replace: (other: Uint8Array) =>
            happened(
              query
                .updateTable('root_key')
                .set({ sealed: other })
                .where('id', '=', id)
                .where('sealed', '=', sealed)
                .executeTakeFirst(),
            ),
        })),
        ...keyPairs.map(({ id, purpose, sealed_private_key: sealed }) => ({
          name: `${purpose} key pair ${id}`,
          purpose: keyPairSealingPurpose({ id, purpose }),
          sealed,
          replace: (other: Uint8Array) =>
            happened(
              query
                .updateTable('key_pair')
                .set({ sealed_private_key: other })
                .where('id', '=', id)
                .where('sealed_private_key', '=', sealed)
                .executeTakeFirst(),
            ),
        })),
        ...signingKeys.map(({ key_id, sealed }) => ({
          name: `signing key ${key_id}`,
          purpose: signingKeyPurpose(key_id),
          sealed,
          replace: (other: Uint8Array) =>
            happened(
              query
                .updateTable('signing_key')
                .set({ sealed: other })
                .where('key_id', '=', key_id)
                .where('sealed', '=', sealed)
                .executeTakeFirst(),
            ),
        })),
        ...checks.map(({ id, sealed }) => ({
          name: 'seal check',
          purpose: SEAL_CHECK_PURPOSE,
          sealed,
          replace: (other: Uint8Array) =>
            happened(
              query
                .updateTable('seal_check')
                .set({ sealed: other })
                .where('id', '=', id)
                .where('sealed', '=', sealed)
                .executeTakeFirst(),
            ),
        })),
      ]
    },
  }
}
