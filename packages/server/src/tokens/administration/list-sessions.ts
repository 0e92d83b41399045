/** The sessions of tokens, page by page: one's own, or for an administrator those of every account. */
import type { AccountId } from '@ratafia/api'
import { type Authority, requireForAll } from '../../authority.ts'
import type { Clock } from '../../clock.ts'
import type { ListedSession, SessionPosition } from '../session.ts'
import type { SessionStore } from '../session-store.ts'

interface Listing {
  readonly authority: Authority
  /** Undefined: every account, which takes `tokens:read`. */
  readonly accountId: AccountId | undefined
  /** Without those that are revoked or over. */
  readonly activeOnly: boolean
  readonly endsBefore?: Date | undefined
  readonly after: SessionPosition | undefined
  readonly limit: number
}

export interface SessionPage {
  readonly sessions: readonly ListedSession[]
  /** Undefined: nothing follows. */
  readonly next: SessionPosition | undefined
}

/** How many rows are looked at for a page, which may then be short (contract/administration.md, A8). */
const MOST_EXAMINED = 20_000
const WINDOW = 1_000

/** Newest first. Throws {@link RequestError} `permission-denied`. */
export async function pageOfSessions(
  { authority, accountId, activeOnly, endsBefore, after, limit }: Listing,
  { tokenSessions, clock }: { readonly tokenSessions: Pick<SessionStore, 'page'>; readonly clock: Clock },
): Promise<SessionPage> {
  if (accountId === undefined || accountId !== authority.accountId) requireForAll(authority, 'tokens:read')
  const now = clock()
  const fits = ({ revokedAt, validUntil }: ListedSession) =>
    (!activeOnly || (revokedAt === undefined && validUntil > now)) &&
    (endsBefore === undefined || validUntil < endsBefore)
  const sessions: ListedSession[] = []
  let last = after
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
