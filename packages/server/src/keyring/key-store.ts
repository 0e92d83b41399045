import { randomBytes } from 'node:crypto'
import { generateKeyPair, type KeyPair, keyPairFromPrivateKey } from '@ratafia/macaroon/bakery'
import { changeAnnounced, type Database, fromInstant, toInstant } from '../database/index.ts'
import { damagedKey } from './errors.ts'
import type { KeySource } from './key-cache.ts'
import { keyPairSealingPurpose, rootKeyPurpose, type Sealer } from './sealing.ts'

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
