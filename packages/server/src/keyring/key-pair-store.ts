import { generateKeyPair, type KeyPair, keyPairFromPrivateKey } from '@ratafia/macaroon/bakery'
import { changeAnnounced, type Database, fromInstant, toInstant } from '../database/index.ts'
import { damagedKey } from './errors.ts'
import type { KeySource } from './key-cache.ts'
import type { Sealer } from './sealing.ts'
import { keyPairSealingPurpose } from './sealing.ts'

/** `issuer` is our sealing key pair, which seals third-party caveats; `discharger` opens them. */
export type KeyPairPurpose = 'issuer' | 'discharger'

export interface StoredKeyPair {
  readonly id: number
  readonly purpose: KeyPairPurpose
  readonly keyPair: KeyPair
  readonly createdAt: Date
}

export function newKeyPair(id: number, purpose: KeyPairPurpose, createdAt: Date): StoredKeyPair {
  return { id, purpose, keyPair: generateKeyPair(), createdAt }
}

/** Stores bakery key pairs, private keys sealed, in the table `key_pair`. Rows are added, never changed or deleted. */
export function createKeyPairStore(
  { query }: Pick<Database, 'query'>,
  sealer: Sealer,
): KeySource<StoredKeyPair> {
  return {
    /** Uses the primary key. Throws `KeyringError` `damaged-key`. */
    async newerThan(id) {
      const rows = await query.selectFrom('key_pair').selectAll().where('id', '>', id).orderBy('id').execute()
      return rows.map((row) => {
        const privateKey = sealer.unseal(keyPairSealingPurpose(row), row.sealed_private_key)
        if (privateKey?.length !== 32) throw damagedKey(`Key pair ${row.id}`)
        const keyPair = keyPairFromPrivateKey(privateKey)
        // The public key is not sealed. If an attacker replaced it, we would advertise theirs.
        if (!Buffer.from(keyPair.publicKey).equals(row.public_key)) throw damagedKey(`Key pair ${row.id}`)
        return { id: row.id, purpose: row.purpose, keyPair, createdAt: fromInstant(row.created_at) }
      })
    },

    async add({ id, purpose, keyPair, createdAt }) {
      const row = {
        id,
        purpose,
        public_key: keyPair.publicKey,
        sealed_private_key: sealer.seal(keyPairSealingPurpose({ id, purpose }), keyPair.privateKey),
        created_at: toInstant(createdAt),
      }
      return changeAnnounced(query, { kind: 'key-pair', id: String(id) }, (transaction) =>
        transaction
          .insertInto('key_pair')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doNothing()),
      )
    },
  }
}
