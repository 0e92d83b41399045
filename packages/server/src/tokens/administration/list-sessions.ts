/** The sessions of tokens, page by page: one's own, or for an administrator those of every account. */
import type { AccountId, SessionId } from '@ratafia/api'
import { type Authority, requireForAll } from '../../authority.ts'
import type { Clock } from '../../clock.ts'
import type { SessionPosition, UsedSession } from '../session.ts'
import type { SessionStore } from '../session-store.ts'

interface Listing {
  readonly authority: Authority
  /** Undefined: every account, which takes `tokens:read`. */
  readonly accountId: AccountId | undefined
  /** Without those that are revoked or over. */
  readonly activeOnly: boolean
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

/** Newest first. Throws {@link RequestError} `permission-denied`. */
export async function pageOfSessions(
  { authority, accountId, activeOnly, endsBefore, unusedSince, after, limit }: Listing,
  { tokenSessions, clock }: { readonly tokenSessions: Pick<SessionStore, 'page'>; readonly clock: Clock },
): Promise<SessionPage> {
  if (accountId === undefined || accountId !== authority.accountId) requireForAll(authority, 'tokens:read')
  const now = clock()
  const fits = ({ revokedAt, validSince, validUntil, lastUsedAt }: UsedSession) =>
    (!activeOnly || (revokedAt === undefined && validUntil > now)) &&
    (endsBefore === undefined || validUntil < endsBefore) &&
    (unusedSince === undefined || (lastUsedAt ?? validSince) < unusedSince)
  const sessions: UsedSession[] = []
  // Those that are newer were made since: the first page begins behind them.
  let last = after ?? (unusedSince && { id: '' as SessionId, validSince: unusedSince })
  for (let examined = 0; examined < MOST_EXAMINED; examined += WINDOW) {
    const rows = await tokenSessions.page({ accountId, after: last, limit: WINDOW })
    for (const row of rows) {
      if (fits(row)) {
        if (sessions.length === limit) return { sessions, next: last }
        sessions.push(row)
      }
      last = { id: row.id, validSince: row.validSince }
    }
    if (rows.length < WINDOW) return { sessions, next: undefined }
  }
  return { sessions, next: last }
}
