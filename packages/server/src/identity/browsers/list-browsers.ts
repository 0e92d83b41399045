/** Lists the browsers that are signed in to the caller's account, at the identity service and in the management API. */
import { hash } from 'node:crypto'
import type { AccountId } from '@ratafia/api'
import type { SignInSession } from '../../accounts/browsers/sign-in-session-store.ts'
import { type Authority, ownId } from '../../authority.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import { parseSignedIn } from '../../third-party/signed-in.ts'
import type { SessionPosition, UsedSession } from '../../tokens/session.ts'

export interface SignedInBrowser {
  /** The id of a management session, or else {@link browserId}. It is not a credential. */
  readonly id: string
  /** A sign-in at the identity service, or a session of management tokens, which the console also has. */
  readonly kind: 'sign-in' | 'management'
  readonly since: Date
  readonly until: Date
  /** The browser's address; undefined if not recorded. */
  readonly address: string | undefined
  readonly userAgent: string | undefined
  /** The description of a session of management tokens. */
  readonly description: string | undefined
  /** Whether it sent this request, as far as known. */
  readonly current: boolean
}

/** Returns the public id of a sign-in. It reveals neither its cookie nor the stored hash. */
const browserId = (idHash: Uint8Array): string =>
  hash('sha256', Buffer.concat([Buffer.from('ratafia browser\0'), idHash]), 'base64url').slice(0, 22)

/** Returns the record that the management API shows. Times are RFC 3339 in UTC. */
export const browserRecord = (browser: SignedInBrowser) => ({
  id: browser.id,
  kind: browser.kind,
  since: browser.since.toISOString(),
  until: browser.until.toISOString(),
  address: browser.address ?? null,
  user_agent: browser.userAgent ?? null,
  description: browser.description ?? null,
  current: browser.current,
})

/** A browser with the hash of its cookie, if it is signed in at the identity service. */
export interface FoundBrowser extends SignedInBrowser {
  readonly idHash: Uint8Array | undefined
}

/** The number of browsers listed of each kind, which is more than users have. */
const MOST = 200
const WINDOW = 1_000
/** The number of management sessions examined. Most of them can belong to agents. */
const MOST_EXAMINED = 20_000
/** Longer than any management session lasts (contract/administration.md, B6). */
const LONGEST_MS = 2 * 86_400_000

/** Lists browsers, newest first. */
export async function listBrowsers(
  { authority }: { readonly authority: Authority },
  stores: Stores,
): Promise<readonly FoundBrowser[]> {
  const accountId = ownId(authority)
  const now = stores.clock()
  const signIns = (await stores.signInSessions.newestOf(accountId, MOST))
    .filter(({ expiresAt }) => expiresAt > now)
    .map((session) => ofSignIn(session, authority))
  const sessions = await managementSessions(accountId, now, stores)
  return [...signIns, ...sessions.map((session) => ofSession(session, authority))].sort(
    (one, other) => other.since.getTime() - one.since.getTime(),
  )
}

/** Returns active management sessions, without those of agents. A login of unknown kind can be a person's. */
async function managementSessions(
  accountId: AccountId,
  now: Date,
  { tokenSessions }: TransactionStores,
): Promise<readonly UsedSession[]> {
  const found: UsedSession[] = []
  const oldest = now.getTime() - LONGEST_MS
  let after: SessionPosition | undefined
  for (let examined = 0; examined < MOST_EXAMINED; examined += WINDOW) {
    const rows = await tokenSessions.page({ accountId, order: 'newest-management', after, limit: WINDOW })
    for (const row of rows) {
      const isActive = row.revokedAt === undefined && row.validUntil > now
      if (isActive && parseSignedIn(row.origin ?? '').kind !== 'agent') found.push(row)
      if (found.length === MOST) return found
      after = { id: row.id, at: row.validSince }
    }
    if (rows.length < WINDOW || (after && after.at.getTime() < oldest)) break
  }
  return found
}

const ofSignIn = (session: SignInSession, { signIn }: Authority): FoundBrowser => ({
  ...{ id: browserId(session.idHash), kind: 'sign-in', idHash: session.idHash },
  ...{ since: session.createdAt, until: session.expiresAt, description: undefined },
  ...{ address: session.address, userAgent: session.userAgent },
  // The caller's session was opened by a browser that had signed in at that instant.
  current: signIn?.kind === 'person' && signIn.at.getTime() === session.createdAt.getTime(),
})

const ofSession = (session: UsedSession, { author }: Authority): FoundBrowser => ({
  ...{ id: session.id, kind: 'management', idHash: undefined },
  ...{ since: session.validSince, until: session.validUntil, description: session.description },
  ...{ address: session.openedFrom, userAgent: session.userAgent },
  current: author.details?.['session'] === session.id,
})
