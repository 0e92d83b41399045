/** The table `token_session`: the sessions of developer and management tokens. */
import type { AccountId, SessionId } from '@ratafia/api'
import { sql } from 'kysely'
import {
  announce,
  anyRowChanged,
  changeAnnounced,
  type Database,
  fromInstant,
  inBatches,
  insertRecorded,
  inTransaction,
  listed,
  listOf,
  type NewAuditEntry,
  removeBefore,
  rowLock,
  type TokenSessionTable,
  toInstant,
} from '../database/index.ts'
import type { ListedSession, Session, SessionOrder, SessionPosition, UsedSession } from './session.ts'

/** Selects the sessions of a listing, whose length is always limited. */
interface SessionFilter {
  readonly accountId?: AccountId | undefined
  /** Only sessions that at this instant are neither revoked nor expired. */
  readonly activeAt?: Date | undefined
  readonly limit: number
}

/** A session to record, with the conditions for it. */
export interface Opening {
  readonly session: Pick<Session, 'id' | 'accountId' | 'description' | 'validSince' | 'validUntil'> &
    Partial<Pick<Session, 'kind' | 'origin' | 'openedFrom' | 'openedIn' | 'limits' | 'userAgent'>>
  /** When its account's logins were last invalidated, as the caller read it. */
  readonly loginsSince: Date | undefined
  readonly at: Date
  /** The audit log entry, whose subject is the session. */
  readonly entry: NewAuditEntry
}

export interface SessionStore {
  /**
   * Records the session and its entry. Returns false, and writes nothing, if the session's id exists, or if
   * its account is disabled or its logins were invalidated since. Such a change either waits for this session
   * or prevents it. Does not wait for a change of the account in progress, but also returns false.
   */
  open(opening: Opening): Promise<boolean>
  /** The same, except that it waits for a change of the account in progress. */
  openPatiently(opening: Opening): Promise<boolean>
  /** Lists sessions, newest first. */
  list(filter: SessionFilter): Promise<readonly ListedSession[]>
  /**
   * Returns the sessions after `after` in this order, of one account or of all, with the account's name and last use.
   */
  page(of: {
    readonly accountId: AccountId | undefined
    readonly order: SessionOrder
    readonly after: SessionPosition | undefined
    readonly limit: number
  }): Promise<readonly UsedSession[]>
  find(id: SessionId): Promise<ListedSession | undefined>
  /**
   * Moves its expiry to an earlier instant. Returns false if there is no such session, or it expires by then anyway.
   */
  shorten(id: SessionId, until: Date): Promise<boolean>
  /**
   * Revokes the session (of `accountId` and of this kind, if given) and returns it. A second revocation
   * changes nothing; `first` is true for the one that counted. Returns undefined if there is no such session
   * (of that account and kind).
   */
  revoke(revocation: {
    id: SessionId
    accountId?: AccountId
    kind?: Session['kind']
    at: Date
    by: string
  }): Promise<{ readonly session: Session; readonly first: boolean } | undefined>
  /**
   * Revokes at most `limit` active sessions of an account, except those in `except`, and returns their ids.
   * `more` is true if others are left.
   */
  revokeOfAccount(of: {
    readonly accountId: AccountId
    readonly except: readonly string[]
    readonly at: Date
    readonly by: string
    readonly limit: number
  }): Promise<{ readonly ids: readonly SessionId[]; readonly more: boolean }>
  /**
   * Revokes the sessions that exchanges opened by these rules, and returns their ids. Call it in the
   * transaction that removes or disables the rules, after that change. An exchange locks its rule, so by then
   * it has either finished, or it finds the rule changed.
   */
  revokeOfRules(
    ruleIds: readonly string[],
    revocation: { readonly at: Date; readonly by: string },
  ): Promise<readonly SessionId[]>
  /** Changes the description of a session. Returns false if there is no such session, or it has this description. */
  describe(id: SessionId, description: string): Promise<boolean>
  /**
   * Removes at most `limit` sessions that expired before that instant. Their macaroons no longer verify, so
   * their revocations can also be forgotten. Returns the number of removed sessions.
   */
  removeEnded(before: Date, limit: number): Promise<number>
}

declare module '../stores.ts' {
  interface TransactionStores {
    readonly tokenSessions: SessionStore
  }
}

/** Sessions that expired within this time are revoked as well: they would be valid again if the clock were set back. */
const OTHER_CLOCKS_MS = 3_600_000

export function sessionStore({ query }: Pick<Database, 'query'>): SessionStore {
  const listed = () =>
    query
      .selectFrom('token_session')
      .innerJoin('account', 'account.id', 'token_session.account_id')
      .selectAll('token_session')
      .select('account.username')

  return {
    open: inBatches((openings: readonly Opening[]) => openAll(query, openings, 'skip locked')),
    openPatiently: async (opening) => (await openAll(query, [opening], 'wait'))[0] === true,

    async list({ accountId, activeAt, limit }) {
      // Index token_session (account_id, valid_until). Without an account, the limit bounds the scan's result.
      let select = listed()
      if (accountId !== undefined) select = select.where('account_id', '=', accountId)
      if (activeAt !== undefined) {
        select = select.where('revoked_at', 'is', null).where('valid_until', '>', toInstant(activeAt))
      }
      const rows = await select.orderBy('valid_since', 'desc').orderBy('session_id').limit(limit).execute()
      return rows.map(listedOf)
    },

    async page({ accountId, order, after, limit }) {
      const { column, direction, only } = ORDERS[order]
      // Index token_session_valid_since, _management, _ends or _revoked; for one account token_session_account_since,
      // _account_management, _account_ends or _account_revoked. The last use of each session is looked up by the
      // primary key of token_activity: for a join, PostgreSQL would read that whole table.
      let select = listed().select((eb) => {
        const activity = eb
          .selectFrom('token_activity')
          .whereRef('token_activity.session_id', '=', 'token_session.session_id')
        return [
          activity.select('last_used_at').as('last_used_at'),
          activity.select('address').as('last_used_from'),
        ]
      })
      if (accountId !== undefined) select = select.where('account_id', '=', accountId)
      if (only) select = select.where(only)
      if (after) {
        select = select.where((where) =>
          where(
            where.refTuple(column, 'token_session.session_id'),
            direction === 'desc' ? '<' : '>',
            where.tuple(toInstant(after.at), after.id as string),
          ),
        )
      }
      const rows = await select
        .orderBy(column, direction)
        .orderBy('token_session.session_id', direction)
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        ...listedOf(row),
        isShortened: row.shortened_from !== null,
        lastUsedAt: fromInstant(row.last_used_at) ?? undefined,
        lastUsedFrom: row.last_used_from ?? undefined,
      }))
    },

    async find(id) {
      // Primary key.
      const row = await listed().where('session_id', '=', id).executeTakeFirst()
      return row && listedOf(row)
    },

    // Primary key.
    shorten: (id, until) =>
      changeAnnounced(query, { kind: 'token-session', id }, (transaction) =>
        transaction
          .updateTable('token_session')
          .set((set) => ({
            valid_until: toInstant(until),
            shortened_from: set.fn.coalesce('shortened_from', 'valid_until'),
          }))
          .where('session_id', '=', id)
          .where('valid_until', '>', toInstant(until)),
      ),

    revoke: ({ id, accountId, kind, at, by }) =>
      inTransaction(query, async (transaction) => {
        const first = await changeAnnounced(transaction, { kind: 'token-session', id }, () => {
          // One statement decides which revocation is first: the condition on revoked_at is checked under the
          // row's lock.
          const update = transaction
            .updateTable('token_session')
            .set({ revoked_at: toInstant(at), revoked_by: by })
            .where('session_id', '=', id)
            .where('revoked_at', 'is', null)
          return update
            .$if(accountId !== undefined, (own) => own.where('account_id', '=', accountId ?? ''))
            .$if(kind !== undefined, (one) => one.where('kind', '=', kind ?? 'developer'))
        })
        // Primary key.
        const row = await transaction
          .selectFrom('token_session')
          .selectAll()
          .where('session_id', '=', id)
          .executeTakeFirst()
        if (!row || row.account_id !== (accountId ?? row.account_id) || row.kind !== (kind ?? row.kind)) {
          return undefined
        }
        return { session: fromRow(row), first }
      }),

    revokeOfAccount: ({ accountId, except, at, by, limit }) =>
      inTransaction(query, async (transaction) => {
        // Index token_session (account_id, valid_until). Leaves out sessions that expired long ago, because
        // there can be many.
        const active = (most: number) => {
          const select = transaction
            .selectFrom('token_session')
            .select('session_id')
            .where('account_id', '=', accountId)
            .where('valid_until', '>', toInstant(at) - OTHER_CLOCKS_MS)
            .where('revoked_at', 'is', null)
            .limit(most)
          return except.length === 0 ? select : select.where('session_id', 'not in', except)
        }
        const rows = await transaction
          .updateTable('token_session')
          .set({ revoked_at: toInstant(at), revoked_by: by })
          .where('session_id', 'in', active(limit))
          .where('revoked_at', 'is', null)
          .returning('session_id')
          .execute()
        // The cast is safe: only valid ids are ever inserted.
        const ids = rows.map((row) => row.session_id as SessionId)
        await announce(transaction, 'token-session', ids)
        return { ids, more: (await active(1).executeTakeFirst()) !== undefined }
      }),

    revokeOfRules: (ruleIds, { at, by }) =>
      inTransaction(query, async (transaction) => {
        if (ruleIds.length === 0) return []
        // Index token_session_rule. Leaves out sessions that expired long ago, because there can be many.
        const rows = await transaction
          .updateTable('token_session')
          .set({ revoked_at: toInstant(at), revoked_by: by })
          .where('rule_id', 'in', ruleIds)
          .where('valid_until', '>', toInstant(at) - OTHER_CLOCKS_MS)
          .where('revoked_at', 'is', null)
          .returning('session_id')
          .execute()
        // The cast is safe: only valid ids are ever inserted.
        const ids = rows.map((row) => row.session_id as SessionId)
        await announce(transaction, 'token-session', ids)
        return ids
      }),

    // Primary key. Nodes do not cache the description, so no change is announced.
    async describe(id, description) {
      const result = await query
        .updateTable('token_session')
        .set({ description })
        .where('session_id', '=', id)
        .where('description', 'is distinct from', description)
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    // Index token_session_valid_until, then the primary key.
    removeEnded: (before, limit) =>
      removeBefore(
        query,
        { table: 'token_session', key: 'session_id', column: 'valid_until' },
        before,
        limit,
      ),
  }
}

const ORDERS = {
  newest: { column: 'valid_since', direction: 'desc', only: undefined },
  'newest-management': {
    column: 'valid_since',
    direction: 'desc',
    // The planner finds a partial index by this literal condition, but not by one with a parameter.
    only: sql<boolean>`token_session.kind = 'management'`,
  },
  'next-to-end': { column: 'valid_until', direction: 'asc', only: undefined },
  'last-ended': { column: 'valid_until', direction: 'desc', only: undefined },
  'last-revoked': {
    column: 'revoked_at',
    direction: 'desc',
    only: sql<boolean>`token_session.revoked_at is not null`,
  },
} as const satisfies Readonly<Record<SessionOrder, object>>

const OPENED = {
  session_id: 'text',
  account_id: 'text',
  description: 'text',
  valid_since: 'bigint',
  valid_until: 'bigint',
  created_at: 'bigint',
  kind: 'text',
  origin: 'text',
  limits: 'text',
  opened_from: 'text',
  user_agent: 'text',
  opened_in: 'text',
  logins_since: 'bigint',
} as const

/** Primary keys, in the same order everywhere, so that two statements with the same sessions cannot deadlock. */
const openers = (locked: 'skip locked' | 'wait') =>
  insertRecorded((query, { opened }: { opened: string }) => {
    const { logins_since: _, ...columns } = OPENED
    const names = Object.keys(columns)
    return sql`insert into ${sql.table('token_session')} (${sql.join(names.map((name) => sql.ref(name)))})
    select ${sql.join(names.map((name) => sql.ref(`opened.${name}`)))}
    from ${listed(query, 'opened', OPENED, opened)} join account on account.id = opened.account_id
    where account.disabled_at is null and account.logins_since is not distinct from opened.logins_since
    order by opened.session_id ${rowLock(query, 'share', { of: 'account', locked })}
    on conflict (session_id) do nothing
    returning session_id as subject`
  })

const OPENERS = { 'skip locked': openers('skip locked'), wait: openers('wait') }

/** Returns whether each opening was recorded. */
async function openAll(
  query: Database['query'],
  openings: readonly Opening[],
  locked: keyof typeof OPENERS,
): Promise<readonly boolean[]> {
  // If several have the same id, only the first may have an entry.
  const byId = new Map(openings.toReversed().map((opening) => [opening.session.id, opening]))
  const first = [...byId.values()]
  const rows = first.map(({ session, at, loginsSince }) => ({
    session_id: session.id,
    account_id: session.accountId,
    description: session.description ?? null,
    valid_since: toInstant(session.validSince),
    valid_until: toInstant(session.validUntil),
    created_at: toInstant(at),
    kind: session.kind ?? 'developer',
    origin: session.origin ?? null,
    limits: session.limits ?? null,
    opened_from: session.openedFrom ?? null,
    user_agent: session.userAgent ?? null,
    opened_in: session.openedIn ?? null,
    logins_since: loginsSince ? toInstant(loginsSince) : null,
  }))
  const recorded = await OPENERS[locked](
    query,
    { opened: listOf(OPENED, rows) },
    first.map(({ entry }) => entry),
  )
  return openings.map(
    (opening) => recorded.has(opening.session.id) && byId.get(opening.session.id) === opening,
  )
}

const listedOf = (row: TokenSessionTable & { readonly username: string }): ListedSession => ({
  ...fromRow(row),
  username: row.username,
})

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
    kind: row.kind,
    origin: row.origin ?? undefined,
    openedFrom: row.opened_from ?? undefined,
    userAgent: row.user_agent ?? undefined,
    openedIn: row.opened_in === 'console' ? 'console' : undefined,
    limits: row.limits ?? undefined,
    job: row.job === null ? undefined : JSON.parse(row.job),
  }
}
