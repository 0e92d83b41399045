/** Stores the keys of issuers, which all nodes share, in the table `oidc_issuer_keys`. */
import { anyRowChanged, type Database, toInstant } from '../../../database/index.ts'

/** Keys in the form that the database stores. */
export interface StoredKeys {
  /** Changes whenever the other two change. */
  readonly revision: string
  /** A JSON Web Key Set of public keys. */
  readonly keys: string
  /** A JSON list of names. */
  readonly algorithms: string
}

/** The pauses between two fetches of an issuer's keys, in milliseconds. */
export interface Pauses {
  readonly afterAny: number
  readonly afterFailure: number
}

export interface IssuerKeysStore {
  /** Stores the keys of a new issuer. `by` is their source; keys from an operator are pinned. */
  insert(
    issuerId: string,
    keys: StoredKeys,
    given: { readonly at: Date; readonly by: 'issuer' | 'operator' },
  ): Promise<void>
  /** Replaces pinned keys. Returns false if the issuer has no pinned keys. */
  pin(issuerId: string, keys: StoredKeys, at: Date): Promise<boolean>
  read(issuerId: string): Promise<StoredKeys | undefined>
  /**
   * Lets the caller begin a fetch, and returns the current revision. Returns undefined if another fetch began within
   * the pause, if the keys are pinned, or if there is no such issuer. Only one of concurrent calls on all nodes may
   * begin.
   */
  begin(issuerId: string, at: Date, pauses: Pauses): Promise<string | undefined>
  /** Ends the fetch that began then. Returns false and writes nothing if another began or keys were pinned. */
  succeed(issuerId: string, at: Date, keys: StoredKeys): Promise<boolean>
  /** Ends a failed fetch in the same way. */
  fail(issuerId: string, at: Date, failure: string): Promise<void>
}

declare module '../../../stores.ts' {
  interface TransactionStores {
    readonly issuerKeys: IssuerKeysStore
  }
}

export function issuerKeysStore({ query }: Pick<Database, 'query'>): IssuerKeysStore {
  return {
    async insert(issuerId, keys, { at, by }) {
      const instant = toInstant(at)
      await query
        .insertInto('oidc_issuer_keys')
        .values({
          issuer_id: issuerId,
          ...keys,
          pinned_at: by === 'operator' ? instant : null,
          fetched_at: instant,
          tried_at: instant,
        })
        .execute()
    },

    // Primary key.
    async pin(issuerId, keys, at) {
      const instant = toInstant(at)
      const result = await query
        .updateTable('oidc_issuer_keys')
        .set({ ...keys, pinned_at: instant, fetched_at: instant, tried_at: instant })
        .where('issuer_id', '=', issuerId)
        .where('pinned_at', 'is not', null)
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    // Primary key.
    read: (issuerId) =>
      query
        .selectFrom('oidc_issuer_keys')
        .select(['revision', 'keys', 'algorithms'])
        .where('issuer_id', '=', issuerId)
        .executeTakeFirst(),

    // Primary key. The conditions are checked while the row is locked.
    async begin(issuerId, at, { afterAny, afterFailure }) {
      const now = toInstant(at)
      const row = await query
        .updateTable('oidc_issuer_keys')
        .set({ tried_at: now, failure: null })
        .where('issuer_id', '=', issuerId)
        .where('pinned_at', 'is', null)
        .where((is) =>
          is.or([
            is('tried_at', '<=', now - afterAny),
            is.and([is('failure', 'is not', null), is('tried_at', '<=', now - afterFailure)]),
            // A node whose clock was ahead must not stop the others.
            is('tried_at', '>', now + afterAny),
          ]),
        )
        .returning('revision')
        .executeTakeFirst()
      return row?.revision
    },

    // Primary key.
    async succeed(issuerId, at, keys) {
      const result = await query
        .updateTable('oidc_issuer_keys')
        .set({ ...keys, fetched_at: toInstant(at), failure: null })
        .where('issuer_id', '=', issuerId)
        .where('pinned_at', 'is', null)
        .where('tried_at', '=', toInstant(at))
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    // Primary key.
    async fail(issuerId, at, failure) {
      await query
        .updateTable('oidc_issuer_keys')
        .set({ failure })
        .where('issuer_id', '=', issuerId)
        .where('pinned_at', 'is', null)
        .where('tried_at', '=', toInstant(at))
        .execute()
    },
  }
}
