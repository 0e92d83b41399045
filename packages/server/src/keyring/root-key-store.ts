import { randomBytes } from 'node:crypto'
import { changeAnnounced, type Database, fromInstant, toInstant } from '../database/index.ts'
import { damagedKey } from './errors.ts'
import type { KeySource } from './key-cache.ts'
import type { Sealer } from './sealing.ts'
import { rootKeyPurpose } from './sealing.ts'

/** A root key. The root keys of macaroons and the keys of sealed texts are derived from it. */
export interface RootKey {
  readonly id: number
  /** The 32 bytes of the key. */
  readonly secret: Uint8Array
  readonly createdAt: Date
}

const SECRET_BYTES = 32

export function newRootKey(id: number, createdAt: Date): RootKey {
  return { id, secret: randomBytes(SECRET_BYTES), createdAt }
}

/** Stores sealed root keys in the table `root_key`. Rows are added, never changed or deleted. */
export function createRootKeyStore({ query }: Pick<Database, 'query'>, sealer: Sealer): KeySource<RootKey> {
  return {
    /** Uses the primary key. Throws `KeyringError` `damaged-key`. */
    async newerThan(id) {
      const rows = await query.selectFrom('root_key').selectAll().where('id', '>', id).orderBy('id').execute()
      return rows.map((row) => {
        const secret = sealer.unseal(rootKeyPurpose(row.id), row.sealed)
        if (secret?.length !== SECRET_BYTES) throw damagedKey(`Root key ${row.id}`)
        return { id: row.id, secret, createdAt: fromInstant(row.created_at) }
      })
    },

    async add({ id, secret, createdAt }) {
      const sealed = sealer.seal(rootKeyPurpose(id), secret)
      return changeAnnounced(query, { kind: 'root-key', id: String(id) }, (transaction) =>
        transaction
          .insertInto('root_key')
          .values({ id, sealed, created_at: toInstant(createdAt) })
          .onConflict((conflict) => conflict.column('id').doNothing()),
      )
    },
  }
}
