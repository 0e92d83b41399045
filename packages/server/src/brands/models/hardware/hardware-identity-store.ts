/** The keys built into hardware: the table `hardware_identity`. */
import { type Database, inTransaction, toInstant } from '../../../database/index.ts'

export interface StoredHardwareIdentity {
  readonly issuerId: string
  /** Digests of the key's text, in base64url. */
  readonly keySha3: string
  readonly keySha2: string
  readonly manufacturer: string
  readonly hardwareName: string
  readonly hardwareId: string
  readonly revision: number
  /** The assertion as received. */
  readonly encoded: Uint8Array
}

export interface HardwareIdentityStore {
  /** Stores all or none, in one transaction. Only a higher revision replaces a stored one. */
  put(
    identities: readonly StoredHardwareIdentity[],
    options: { readonly at: Date; readonly onProgress?: (done: number) => void },
  ): Promise<void>
  /** Returns identities sorted by digest and issuer, after `after` if given. */
  list(page: {
    readonly after?: Pick<StoredHardwareIdentity, 'keySha3' | 'issuerId'> | undefined
    readonly limit: number
  }): Promise<readonly StoredHardwareIdentity[]>
  /** Finds identities by one of the digests; there are several if several issuers certify one key. */
  findByKey(digest: 'sha3-384' | 'sha384', value: string): Promise<readonly StoredHardwareIdentity[]>
}

declare module '../../../stores.ts' {
  interface TransactionStores {
    readonly hardwareIdentities: HardwareIdentityStore
  }
}

/** Few enough for the parameters of one statement on every database. */
const BATCH = 200

export function hardwareIdentityStore({ query }: Pick<Database, 'query'>): HardwareIdentityStore {
  return {
    async put(identities, { at, onProgress }) {
      await inTransaction(query, async (transaction) => {
        for (let start = 0; start < identities.length; start += BATCH) {
          const batch = identities.slice(start, start + BATCH)
          await transaction
            .insertInto('hardware_identity')
            .values(batch.map((identity) => rowOf(identity, at)))
            .onConflict((conflict) =>
              conflict
                .columns(['key_sha3_384', 'issuer_id'])
                .doUpdateSet((set) => ({
                  manufacturer: set.ref('excluded.manufacturer'),
                  hardware_name: set.ref('excluded.hardware_name'),
                  hardware_id: set.ref('excluded.hardware_id'),
                  revision: set.ref('excluded.revision'),
                  encoded: set.ref('excluded.encoded'),
                  imported_at: set.ref('excluded.imported_at'),
                }))
                .whereRef('hardware_identity.revision', '<', 'excluded.revision'),
            )
            .execute()
          onProgress?.(start + batch.length)
        }
      })
    },

    async list({ after, limit }) {
      // Uses the primary key, in its order.
      const rows = await query
        .selectFrom('hardware_identity')
        .selectAll()
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('key_sha3_384', 'issuer_id'), '>', tuple(after?.keySha3 ?? '', after?.issuerId ?? '')),
        )
        .orderBy('key_sha3_384')
        .orderBy('issuer_id')
        .limit(limit)
        .execute()
      return rows.map(identityOf)
    },

    async findByKey(digest, value) {
      // The primary key begins with key_sha3_384; key_sha384 has the index hardware_identity_key_sha384.
      const rows = await query
        .selectFrom('hardware_identity')
        .selectAll()
        .where(digest === 'sha384' ? 'key_sha384' : 'key_sha3_384', '=', value)
        .orderBy('issuer_id')
        .execute()
      return rows.map(identityOf)
    },
  }
}

function rowOf(identity: StoredHardwareIdentity, at: Date) {
  return {
    issuer_id: identity.issuerId,
    key_sha3_384: identity.keySha3,
    key_sha384: identity.keySha2,
    manufacturer: identity.manufacturer,
    hardware_name: identity.hardwareName,
    hardware_id: identity.hardwareId,
    revision: identity.revision,
    encoded: identity.encoded,
    imported_at: toInstant(at),
  }
}

function identityOf(row: ReturnType<typeof rowOf>): StoredHardwareIdentity {
  return {
    issuerId: row.issuer_id,
    keySha3: row.key_sha3_384,
    keySha2: row.key_sha384,
    manufacturer: row.manufacturer,
    hardwareName: row.hardware_name,
    hardwareId: row.hardware_id,
    revision: row.revision,
    encoded: row.encoded,
  }
}
