/** Requests that may be repeated, and their answers: the table `idempotent_request`. */
import { anyRowChanged, type Database, fromInstant, toInstant } from '../../database/index.ts'

export interface RepeatKey {
  readonly accountId: string
  /** The fingerprint of the `Idempotency-Key` by the keys of the service, in hexadecimal. */
  readonly keyHash: string
}

interface KeptAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Needs the keys of the service and the `Idempotency-Key` to open. */
  readonly sealed: Uint8Array
}

interface KeptRequest {
  readonly digest: string
  readonly startedAt: Date
  /** The answer; undefined while the request runs, or if its process died. */
  readonly answer: KeptAnswer | undefined
}

export interface RepeatStore {
  /** Returns false, and stores nothing, if there is already a request with this key. */
  begin(key: RepeatKey, request: { readonly digest: string; readonly at: Date }): Promise<boolean>
  find(key: RepeatKey): Promise<KeptRequest | undefined>
  /** Restarts a request that began at `since` and never ended. Returns false if another process did. */
  takeOver(key: RepeatKey, since: Date, at: Date): Promise<boolean>
  /** Stores the request's answer. */
  end(key: RepeatKey, answer: KeptAnswer): Promise<void>
  /** Forgets a refused request, which is checked again when it is repeated. */
  forget(key: RepeatKey): Promise<void>
  /** Removes at most `limit` requests that began before that instant. Returns how many. */
  removeOld(before: Date, limit: number): Promise<number>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly repeats: RepeatStore
  }
}

export function repeatStore({ query }: Pick<Database, 'query'>): RepeatStore {
  /** The primary key. */
  const named = ({ accountId, keyHash }: RepeatKey) => ({ account_id: accountId, key_hash: keyHash })

  return {
    async begin(key, { digest, at }) {
      const result = await query
        .insertInto('idempotent_request')
        .values({
          ...named(key),
          ...{ request_hash: digest, started_at: toInstant(at), status: null, headers: null, sealed: null },
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    async find(key) {
      const row = await query
        .selectFrom('idempotent_request')
        .selectAll()
        .where((where) => where.and(named(key)))
        .executeTakeFirst()
      if (!row) return undefined
      const { request_hash: digest, started_at, status, headers, sealed } = row
      const answer =
        status === null || sealed === null || headers === null
          ? undefined
          : { status, headers: JSON.parse(headers), sealed }
      return { digest, startedAt: fromInstant(started_at), answer }
    },

    async takeOver(key, since, at) {
      const result = await query
        .updateTable('idempotent_request')
        .set({ started_at: toInstant(at) })
        .where((where) => where.and(named(key)))
        .where('started_at', '=', toInstant(since))
        .where('status', 'is', null)
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    async end(key, { status, headers, sealed }) {
      await query
        .updateTable('idempotent_request')
        .set({ status, headers: JSON.stringify(headers), sealed })
        .where((where) => where.and(named(key)))
        .execute()
    },

    async forget(key) {
      await query
        .deleteFrom('idempotent_request')
        .where((where) => where.and(named(key)))
        .where('status', 'is', null)
        .execute()
    },

    async removeOld(before, limit) {
      // Index idempotent_request_started, then the primary key.
      const old = query
        .selectFrom('idempotent_request')
        .select(['account_id', 'key_hash'])
        .where('started_at', '<', toInstant(before))
        .orderBy('started_at')
        .limit(limit)
      const rows = await old.execute()
      let removed = 0
      for (const row of rows) {
        const { numDeletedRows } = await query
          .deleteFrom('idempotent_request')
          .where((where) => where.and(row))
          .executeTakeFirst()
        removed += Number(numDeletedRows)
      }
      return removed
    },
  }
}
