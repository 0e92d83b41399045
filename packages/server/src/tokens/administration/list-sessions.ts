/** Lists the sessions of tokens page by page: the caller's own, or for administrators those of every account. */
import { type AccountId, isSessionId, type SessionId } from '@ratafia/api'
import { type Authority, requireForAll } from '../../authority.ts'
import { SHORTEST_LIFE_MS } from '../../reminder-steps.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { ListedSession, SessionKind, SessionOrder, SessionPosition, UsedSession } from '../session.ts'
import { noSuchSession } from './revoke-session.ts'

/**
 * The state of a session. `ending`: it expires within 30 days and a reminder is sent for it, which excludes
 * sessions of CI jobs and short ones. `expired`: it has expired and is not revoked.
 */
type SessionState = 'active' | 'ending' | 'revoked' | 'expired' | 'all'

interface Listing {
  readonly authority: Authority
  /** The account; undefined for every account, which requires `tokens:read`. */
  readonly accountId: AccountId | undefined
  readonly state: SessionState
  readonly kind?: SessionKind | undefined
  /** Excludes (`none`) or lists only (`only`) sessions that CI jobs opened. */
  readonly ci?: 'none' | 'only' | undefined
  /** Only sessions that CI jobs opened by the rule of this name. */
  readonly rule?: string | undefined
  /** Only sessions whose description contains this text, ignoring case. */
  readonly text?: string | undefined
  readonly endsBefore?: Date | undefined
  /** Only sessions that were opened before this instant, and whose tokens have not been used since. */
  readonly unusedSince?: Date | undefined
  readonly after: SessionPosition | undefined
  readonly limit: number
}

export interface SessionPage {
  readonly sessions: readonly UsedSession[]
  /** The next page's position; undefined on the last page. */
  readonly next: SessionPosition | undefined
}

/** The number of rows examined for a page at most, so a page can be short (contract/administration.md, A8). */
const MOST_EXAMINED = 20_000
const WINDOW = 1_000

/** A session that expires within this time can have the state `ending`. */
const ENDING_MS = 30 * 86_400_000

/**
 * Returns a page in the order of the state: the newest, the next to expire, the last expired, or the last
 * revoked first. Throws `permission-denied`.
 */
export async function pageOfSessions(
  { authority, accountId, limit, after, ...listing }: Listing,
  { tokenSessions, clock }: Stores,
): Promise<SessionPage> {
  if (accountId === undefined || accountId !== authority.accountId) requireForAll(authority, 'tokens:read')
  const now = clock()
  const walk = walkOf(listing, now)
  const fits = fitting(listing, now)
  const sessions: UsedSession[] = []
  let last = after ?? walk.begin
  for (let examined = 0; examined < MOST_EXAMINED; examined += WINDOW) {
    const rows = await tokenSessions.page({ accountId, order: walk.order, after: last, limit: WINDOW })
    for (const row of rows) {
      if (walk.isOver(row)) return { sessions, next: undefined }
      if (fits(row)) {
        if (sessions.length === limit) return { sessions, next: last }
        sessions.push(row)
      }
      last = { id: row.id, at: walk.at(row) }
    }
    if (rows.length < WINDOW) return { sessions, next: undefined }
  }
  return { sessions, next: last }
}

/** How the rows are read for a state. */
interface Walk {
  readonly order: SessionOrder
  /** Returns the instant that the rows are ordered by. */
  readonly at: (row: UsedSession) => Date
  /** Where the first page begins; undefined for the first row of all. */
  readonly begin: SessionPosition | undefined
  /** Whether neither this row nor any later one fits. */
  readonly isOver: (row: UsedSession) => boolean
}

type Filter = Omit<Listing, 'authority' | 'accountId' | 'limit' | 'after'>

function walkOf({ state, kind, unusedSince }: Filter, now: Date): Walk {
  const justAfter = { at: new Date(now.getTime() + 1), id: FIRST }
  const isOver = () => false
  switch (state) {
    case 'ending': {
      const last = now.getTime() + ENDING_MS
      const isLater = ({ validUntil }: UsedSession) => validUntil.getTime() > last
      return { order: 'next-to-end', at: (row) => row.validUntil, begin: justAfter, isOver: isLater }
    }
    case 'expired':
      return { order: 'last-ended', at: (row) => row.validUntil, begin: justAfter, isOver }
    case 'revoked':
      return { order: 'last-revoked', at: (row) => row.revokedAt ?? now, begin: undefined, isOver }
    default: {
      // Skip newer sessions, which were opened since.
      const begin = unusedSince && { at: unusedSince, id: FIRST }
      const order = kind === 'management' ? 'newest-management' : 'newest'
      return { order, at: (row) => row.validSince, begin, isOver }
    }
  }
}

/** Sorts before every id. */
const FIRST = '' as SessionId

function fitting({ state, kind, ci, rule, text, endsBefore, unusedSince }: Filter, now: Date) {
  const wanted = text?.toLowerCase()
  return (session: UsedSession): boolean => {
    const { revokedAt, validSince, validUntil, lastUsedAt, job, ...row } = session
    return (
      (state === 'all' || (state === 'revoked') === (revokedAt !== undefined)) &&
      (state === 'all' || state === 'revoked' || (state === 'expired') === validUntil <= now) &&
      (state !== 'ending' || isReminded(session)) &&
      (kind === undefined || row.kind === kind) &&
      (ci === undefined || (ci === 'only') === (job !== undefined)) &&
      (rule === undefined || job?.rule === rule) &&
      (wanted === undefined || (row.description ?? '').toLowerCase().includes(wanted)) &&
      (endsBefore === undefined || validUntil < endsBefore) &&
      (unusedSince === undefined || (lastUsedAt ?? validSince) < unusedSince)
    )
  }
}

/** The same condition as that of the reminders' index (`database/schema/reminded.ts`). */
const isReminded = ({ kind, job, isShortened, validSince, validUntil }: UsedSession): boolean =>
  kind === 'developer' &&
  job === undefined &&
  !isShortened &&
  validUntil.getTime() - validSince.getTime() >= SHORTEST_LIFE_MS

interface Wanted {
  readonly sessionId: string
  readonly authority: Authority
  /** Shows only a session of the caller. Default: of any account, which requires `tokens:read`. */
  readonly own?: boolean
}

/**
 * Returns the session. Throws `permission-denied`, or `no-such-record` with the same message for a session
 * that does not exist and for one of another account.
 */
export async function showSession(
  { sessionId, authority, own = false }: Wanted,
  { tokenSessions }: TransactionStores,
): Promise<ListedSession> {
  if (!own) requireForAll(authority, 'tokens:read')
  const session = isSessionId(sessionId) ? await tokenSessions.find(sessionId) : undefined
  if (!session || (own && session.accountId !== authority.accountId)) throw noSuchSession(sessionId)
  return session
}
