/** The account of a login, and its session. Simultaneous look-ups share a statement. */
import type { AccountId, SessionId } from '@ratafia/api'
import { sql } from 'kysely'
import {
  type AccountTable,
  compiledOnce,
  type Database,
  fromInstant,
  inBatches,
  joinOne,
  listed,
  listOf,
  type TokenSessionTable,
} from '../../database/index.ts'
import type { Account } from '../account.ts'
import { accountOf } from '../account-store.ts'

export interface LoginSession {
  readonly accountId: AccountId
  readonly revokedAt: Date | undefined
  readonly revokedBy: string | undefined
  /** The id of the rule that let a CI job open it; undefined for a login. */
  readonly ruleId: string | undefined
  readonly kind: TokenSessionTable['kind']
  /** How its holder signed in; undefined if not recorded. */
  readonly origin: string | undefined
  /** When its root was issued. */
  readonly since: Date
  /** `console` for a session that a browser opened there. */
  readonly openedIn: string | undefined
  /** When it expires. No macaroon of it is valid for longer, whatever its caveats permit. */
  readonly validUntil: Date
}

/** An account, and a session that can belong to another account. */
export interface NamedLogin {
  readonly accountId: AccountId
  readonly sessionId: SessionId
}

export interface LoginStore {
  /** Returns undefined if there is no such account, and no `session` if there is no such session. */
  find(
    login: NamedLogin,
  ): Promise<{ readonly account: Account; readonly session: LoginSession | undefined } | undefined>
  /** Returns an existing session and its account; undefined if there is no such session. */
  ofSession(id: SessionId): Promise<{ readonly account: Account; readonly session: LoginSession } | undefined>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly logins: LoginStore
  }
}

export const loginStore = ({ query }: Pick<Database, 'query'>): LoginStore => ({
  find: inBatches((logins: readonly NamedLogin[]) => findAll(query, logins)),
  ofSession: inBatches((ids: readonly SessionId[]) => findOfSessions(query, ids)),
})

const NAMED = { place: 'bigint', account_id: 'text', session_id: 'text' } as const

/**
 * Primary keys. A join with the sessions would be planned while there are few, and be slow for a minute after
 * there are many.
 */
const selectNamed = compiledOnce((query, { named }: { named: string }) => {
  const ofSession = (column: string) =>
    sql`(select ${sql.ref(column)} from token_session where token_session.session_id = named.session_id)`
  return sql<
    AccountTable & Opened & { readonly place: number; readonly session_account: string | null }
  >`select account.*, named.place, ${ofSession('account_id')} as session_account,
      ${ofSession('revoked_at')} as revoked_at, ${ofSession('revoked_by')} as revoked_by,
      ${ofSession('rule_id')} as rule_id, ${ofSession('kind')} as kind, ${ofSession('origin')} as origin,
      ${ofSession('valid_until')} as valid_until, ${ofSession('valid_since')} as valid_since,
      ${ofSession('opened_in')} as opened_in
    from ${listed(query, 'named', NAMED, named)} ${joinOne(query, 'account', sql`account.id = named.account_id`)}`
})

async function findAll(query: Database['query'], logins: readonly NamedLogin[]) {
  const named = logins.map(({ accountId, sessionId }, place) => ({
    place,
    account_id: accountId,
    session_id: sessionId,
  }))
  const { rows } = await selectNamed(query, { named: listOf(NAMED, named) })
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  return logins.map((_, place) => {
    const row = byPlace.get(place)
    if (!row) return undefined
    // The cast is safe: the column is a foreign key of an account.
    const accountId = row.session_account as AccountId | null
    const session = accountId === null ? undefined : { accountId, ...openedOf(row) }
    return { account: accountOf(row), session }
  })
}

const SESSION = { place: 'bigint', session_id: 'text' } as const

/** Primary keys. */
const selectOfSessions = compiledOnce((query, { asked }: { asked: string }) => {
  const session = joinOne(query, 'token_session', sql`token_session.session_id = asked.session_id`)
  const account = joinOne(query, 'account', sql`account.id = token_session.account_id`)
  return sql<AccountTable & Opened & { readonly place: number }>`select account.*, asked.place,
      token_session.revoked_at, token_session.revoked_by, token_session.rule_id, token_session.kind,
      token_session.origin, token_session.valid_until, token_session.valid_since, token_session.opened_in
    from ${listed(query, 'asked', SESSION, asked)} ${session} ${account}`
})

async function findOfSessions(query: Database['query'], ids: readonly SessionId[]) {
  const asked = ids.map((session_id, place) => ({ place, session_id }))
  const { rows } = await selectOfSessions(query, { asked: listOf(SESSION, asked) })
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  return ids.map((_, place) => {
    const row = byPlace.get(place)
    if (!row) return undefined
    const account = accountOf(row)
    return { account, session: { accountId: account.id, ...openedOf(row) } }
  })
}

interface Opened {
  readonly revoked_at: number | null
  readonly revoked_by: string | null
  readonly rule_id: string | null
  readonly kind: TokenSessionTable['kind']
  readonly origin: string | null
  readonly valid_until: number
  readonly valid_since: number
  readonly opened_in: string | null
}

const openedOf = ({ revoked_at, revoked_by, rule_id, kind, origin, ...row }: Opened) => ({
  revokedAt: fromInstant(revoked_at) ?? undefined,
  revokedBy: revoked_by ?? undefined,
  ruleId: rule_id ?? undefined,
  kind,
  origin: origin ?? undefined,
  validUntil: fromInstant(row.valid_until),
  since: fromInstant(row.valid_since),
  openedIn: row.opened_in ?? undefined,
})
