/** The sessions of developer tokens: the table `token_session`. */
import type { AccountId, SessionId } from '@ratafia/api'
import {
  anyRowChanged,
  type Database,
  fromInstant,
  type TokenSessionTable,
  toInstant,
} from '../database/index.ts'
import type { ListedSession, Session } from './session.ts'

/** Which sessions a listing shows; the number is always limited. */
export interface SessionFilter {
  readonly accountId?: AccountId | undefined
  /** Only sessions that at this instant are neither revoked nor past their end. */
  readonly activeAt?: Date | undefined
  readonly limit: number
}

export interface SessionStore {
  /**
   * Records the session at `at` unless its id exists, and returns the recorded session. Callers that race with one id
   * all get the row that won, possibly with another account than theirs; `first` is true for the winner.
   */
  open(session: Session, at: Date): Promise<{ readonly session: Session; readonly first: boolean }>
  /** Undefined when there is none. */
  find(id: SessionId): Promise<Session | undefined>
  /** Newest first. */
  list(filter: SessionFilter): Promise<readonly ListedSession[]>
  /**
   * Revokes the session (of `accountId`, if given) and returns it. A second revocation changes nothing; `first` is true
   * for the one that counted. Undefined when there is no such session (of that account).
   */
  revoke(revocation: {
    id: SessionId
    accountId?: AccountId
    at: Date
    by: string
  }): Promise<{ readonly session: Session; readonly first: boolean } | undefined>
  /**
   * Removes at most `limit` sessions that ended before that instant: their macaroons no longer verify, so
   * their revocations can be forgotten too. Returns how many were removed.
   */
  removeEnded(before: Date, limit: number): Promise<number>
}

export function sessionStore({ query }: Pick<Database, 'query'>): SessionStore {
  const find = async (id: SessionId) => {
    // Primary key.
    const row = await query
      .selectFrom('token_session')
      .selectAll()
      .where('session_id', '=', id)
      .executeTakeFirst()
    return row && fromRow(row)
  }
  return {
    find,

    async open(session, at) {
      const result = await query
        .insertInto('token_session')
        .values({
          session_id: session.id,
          account_id: session.accountId,
          description: session.description ?? null,
          valid_since: toInstant(session.validSince),
          valid_until: toInstant(session.validUntil),
          created_at: toInstant(at),
          revoked_at: null,
          revoked_by: null,
        })
        .onConflict((conflict) => conflict.column('session_id').doNothing())
        .executeTakeFirst()
      const recorded = await find(session.id)
      if (!recorded) throw new Error(`session ${session.id} was recorded but cannot be found`)
      return { session: recorded, first: anyRowChanged(result) }
    },

    async list({ accountId, activeAt, limit }) {
      // Index token_session (account_id, valid_until); without an account, the limit bounds the scan's result.
      let select = query
        .selectFrom('token_session')
        .innerJoin('account', 'account.id', 'token_session.account_id')
        .selectAll('token_session')
        .select('account.username')
      if (accountId !== undefined) select = select.where('account_id', '=', accountId)
      if (activeAt !== undefined) {
        select = select.where('revoked_at', 'is', null).where('valid_until', '>', toInstant(activeAt))
      }
      const rows = await select.orderBy('valid_since', 'desc').orderBy('session_id').limit(limit).execute()
      return rows.map((row) => ({ ...fromRow(row), username: row.username }))
    },

    async revoke({ id, accountId, at, by }) {
      // One statement decides who was first: the condition on revoked_at is checked under the row's lock.
      let update = query
        .updateTable('token_session')
        .set({ revoked_at: toInstant(at), revoked_by: by })
        .where('session_id', '=', id)
        .where('revoked_at', 'is', null)
      if (accountId !== undefined) update = update.where('account_id', '=', accountId)
      const result = await update.executeTakeFirst()
      const session = await find(id)
      if (!session || (accountId !== undefined && session.accountId !== accountId)) return undefined
      return { session, first: anyRowChanged(result) }
    },

    async removeEnded(before, limit) {
      // Index token_session_valid_until, then the primary key.
      const ended = query
        .selectFrom('token_session')
        .select('session_id')
        .where('valid_until', '<', toInstant(before))
        .orderBy('valid_until')
        .limit(limit)
      const { numDeletedRows } = await query
        .deleteFrom('token_session')
        .where('session_id', 'in', ended)
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

function fromRow(row: TokenSessionTable): Session {
  return {
    // The casts are safe: only valid ids are ever inserted.
    id: row.session_id as SessionId,
    accountId: row.account_id as AccountId,
    description: row.description ?? undefined,
    validSince: fromInstant(row.valid_since),
    validUntil: fromInstant(row.valid_until),
    revokedAt: fromInstant(row.revoked_at) ?? undefined,
    revokedBy: row.revoked_by ?? undefined,
  }
}
