/** Lists the browsers that are signed in to the caller's account, at the identity service and in the management API. */
import type { AccountId } from '@ratafia/api'
import type { SignInSession } from '../../accounts/browsers/sign-in-session-store.ts'
import type { Authority } from '../../authority.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import { parseSignedIn } from '../../third-party/signed-in.ts'
import type { SessionPosition, UsedSession } from '../../tokens/session.ts'
import { browserId, type SignedInBrowser } from './browser.ts'

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

/** Returns the id of the account that the caller logged in as. */
function ownId({ accountId }: Authority): AccountId {
  if (accountId === undefined) throw new TypeError('only an account has browsers of its own')
  return accountId
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
