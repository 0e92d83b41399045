/** The table `token_activity`. */
import { sql } from 'kysely'
import { type Database, listed, listOf, rowLock, toInstant } from '../../database/index.ts'
import type { UsedToken } from './token-uses.ts'

export interface TokenActivityStore {
  /**
   * Records when and from where tokens were used, with at most 1,000 sessions, each once. A later use that is
   * already recorded stays. Missing and revoked sessions are ignored.
   */
  saw(used: readonly UsedToken[]): Promise<void>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly tokenActivities: TokenActivityStore
  }
}

const USED = { session_id: 'text', at: 'bigint', address: 'text' } as const

export function tokenActivityStore({ query }: Pick<Database, 'query'>): TokenActivityStore {
  return {
    async saw(used) {
      if (used.length === 0) return
      const rows = used.map(({ id, at, address }) => ({ session_id: id, at: toInstant(at), address }))
      // Primary keys, in the same order everywhere. A transaction that revokes a session to remove personal data either
      // waits for this, or was first: then the session's row is locked or revoked, and skipped here.
      await sql`insert into ${sql.table('token_activity')} (session_id, last_used_at, address)
        select used.session_id, used.at, used.address
        from ${listed(query, 'used', USED, listOf(USED, rows))}
        join token_session on token_session.session_id = used.session_id
        where token_session.revoked_at is null
        order by used.session_id ${rowLock(query, 'share', { of: 'token_session', locked: 'skip locked' })}
        on conflict (session_id) do update
          set last_used_at = excluded.last_used_at, address = excluded.address
          where token_activity.last_used_at < excluded.last_used_at`.execute(query)
    },
  }
}
