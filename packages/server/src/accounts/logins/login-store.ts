/** What a token or a root says to be: an account and its session. */
import type { AccountId, SessionId } from '@ratafia/api'
import { sql } from 'kysely'
import {
  type AccountTable,
  compiledOnce,
  type Database,
  fromInstant,
  inBatches,
  listed,
} from '../../database/index.ts'
import type { Account } from '../account.ts'
import { accountOf } from '../account-store.ts'

export interface LoginSession {
  readonly accountId: AccountId
  readonly revokedAt: Date | undefined
  readonly revokedBy: string | undefined
}

/** An account, and a session that may be another's. */
export interface NamedLogin {
  readonly accountId: AccountId
  readonly sessionId: SessionId
}

export interface LoginStore {
  /** A session with its account. Undefined when there is no such session. */
  findBySession(
    id: SessionId,
  ): Promise<{ readonly account: Account; readonly session: LoginSession } | undefined>
  /** Undefined when there is no such account; without `session` when there is no such session. */
  find(
    login: NamedLogin,
  ): Promise<{ readonly account: Account; readonly session: LoginSession | undefined } | undefined>
}

/** Indexes: both primary keys. */
const selectBySession = compiledOnce((query, { id }: { id: SessionId }) =>
  query
    .selectFrom('account')
    .selectAll('account')
    .innerJoin('token_session', 'token_session.account_id', 'account.id')
    .select(['token_session.revoked_at', 'token_session.revoked_by'])
    .where('token_session.session_id', '=', id),
)

export function loginStore({ query }: Pick<Database, 'query'>): LoginStore {
  return {
    findBySession: async (id) => {
      const [row] = (await selectBySession(query, { id })).rows
      return row && { account: accountOf(row), session: sessionOf({ ...row, account_id: row.id }) }
    },
    find: inBatches((logins: readonly NamedLogin[]) => findAll(query, logins)),
  }
}

const NAMED = { place: 'bigint', account_id: 'text', session_id: 'text' } as const

async function findAll(query: Database['query'], logins: readonly NamedLogin[]) {
  const named = logins.map(({ accountId, sessionId }, place) => ({
    place,
    account_id: accountId,
    session_id: sessionId,
  }))
  // Primary keys. A join with the sessions would be planned while they are few, and then be slow for a minute while they
  // become many.
  const ofSession = (column: string) =>
    sql`(select ${sql.ref(column)} from token_session where token_session.session_id = named.session_id)`
  const { rows } = await sql<
    AccountTable & {
      readonly place: number
      readonly session_account: string | null
      readonly revoked_at: number | null
      readonly revoked_by: string | null
    }
  >`select account.*, named.place, ${ofSession('account_id')} as session_account,
      ${ofSession('revoked_at')} as revoked_at, ${ofSession('revoked_by')} as revoked_by
    from ${sql.table('account')} join ${listed(query, 'named', NAMED, named)} on account.id = named.account_id
  `.execute(query)
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  return logins.map((_, place) => {
    const row = byPlace.get(place)
    if (!row) return undefined
    const { session_account } = row
    const session = session_account === null ? undefined : sessionOf({ ...row, account_id: session_account })
    return { account: accountOf(row), session }
  })
}

interface SessionColumns {
  readonly account_id: string
  readonly revoked_at: number | null
  readonly revoked_by: string | null
}

const sessionOf = ({ account_id, revoked_at, revoked_by }: SessionColumns): LoginSession => ({
  // It refers to an account.
  accountId: account_id as AccountId,
  revokedAt: fromInstant(revoked_at) ?? undefined,
  revokedBy: revoked_by ?? undefined,
})
