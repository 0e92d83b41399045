/** The sessions of tokens, page by page: one's own, or for an administrator those of every account. */
import { type AccountId, isSessionId, type SessionId } from '@ratafia/api'
import { type Authority, requireForAll } from '../../authority.ts'
import { SHORTEST_LIFE_MS } from '../../reminder-steps.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { ListedSession, SessionKind, SessionOrder, SessionPosition, UsedSession } from '../session.ts'
import { noSuchSession } from './revoke-session.ts'

/**
 * `ending`: a reminder is sent for it, and it expires within 30 days; so sessions of CI jobs and short ones never are.
 * `expired`: past its end, and not revoked.
 */
type SessionState = 'active' | 'ending' | 'revoked' | 'expired' | 'all'

interface Listing {
  readonly authority: Authority
  /** Undefined: every account, which takes `tokens:read`. */
  readonly accountId: AccountId | undefined
  readonly state: SessionState
  readonly kind?: SessionKind | undefined
  /** `none`: without those that CI jobs opened; `only`: those alone. */
  readonly ci?: 'none' | 'only' | undefined
  /** Only those that CI jobs opened by the rule of this name. */
  readonly rule?: string | undefined
  /** Only those whose description contains this, in letters of either case. */
  readonly text?: string | undefined
  readonly endsBefore?: Date | undefined
  /** Only those that were made before, and whose tokens were not used since. */
  readonly unusedSince?: Date | undefined
  readonly after: SessionPosition | undefined
  readonly limit: number
}

export interface SessionPage {
  readonly sessions: readonly UsedSession[]
  /** Undefined: nothing follows. */
  readonly next: SessionPosition | undefined
}

/** How many rows are looked at for a page, which may then be short (contract/administration.md, A8). */
const MOST_EXAMINED = 20_000
const WINDOW = 1_000

/** Within this, a session is one that ends. */
const ENDING_MS = 30 * 86_400_000

/** In the order of the state: newest, next to end, last ended, or last revoked first. Throws `permission-denied`. */
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

/** The rows that are looked at for a state, in their order. */
interface Walk {
  readonly order: SessionOrder
  /** What the order is by. */
  readonly at: (row: UsedSession) => Date
  /** Undefined: with the first of all. */
  readonly begin: SessionPosition | undefined
  /** Neither this row nor any behind it fits. */
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
      // Those that are newer were made since: the first page begins behind them.
      const begin = unusedSince && { at: unusedSince, id: FIRST }
      const order = kind === 'management' ? 'newest-management' : 'newest'
      return { order, at: (row) => row.validSince, begin, isOver }
    }
  }
}

/** Before every id. */
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

/** As the index of reminders has it (`database/schema/reminded.ts`). */
const isReminded = ({ kind, job, isShortened, validSince, validUntil }: UsedSession): boolean =>
  kind === 'developer' &&
  job === undefined &&
  !isShortened &&
  validUntil.getTime() - validSince.getTime() >= SHORTEST_LIFE_MS

interface Wanted {
  readonly sessionId: string
  readonly authority: Authority
  /** Only if it is one's own. Default: of any account, which takes `tokens:read`. */
  readonly own?: boolean
}

/** Throws `permission-denied`; `no-such-record`, in the same words for one of another account. */
export async function showSession(
  { sessionId, authority, own = false }: Wanted,
  { tokenSessions }: TransactionStores,
): Promise<ListedSession> {
  if (!own) requireForAll(authority, 'tokens:read')
  const session = isSessionId(sessionId) ? await tokenSessions.find(sessionId) : undefined
  if (!session || (own && session.accountId !== authority.accountId)) throw noSuchSession(sessionId)
  return session
}
