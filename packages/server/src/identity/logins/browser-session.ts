/**
 * The session of a signed-in browser. It ends when the user signs out, or when the logins of the account are
 * invalidated.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { AccountId } from '@ratafia/api'
import type { Account } from '../../accounts/account.ts'
import type { SignInSession } from '../../accounts/browsers/sign-in-session-store.ts'
import { endedSince } from '../../accounts/ended-logins/login-mark.ts'
import { accountActor } from '../../change.ts'
import type { Stores } from '../../stores.ts'
import type { IdentityDependencies } from '../dependencies.ts'

/** How long a browser stays signed in. */
export const SIGN_IN_MS = 12 * 60 * 60_000

interface BrowserOf {
  readonly account: Pick<Account, 'id'>
  /** The account's `loginsSince` when the credentials were checked; see `login-mark.ts`. */
  readonly seen: number
  /** The browser's address. */
  readonly address: string
  /** The browser's User-Agent. */
  readonly userAgent?: string | undefined
}

/** Returns a session that begins at `createdAt`, to be stored, and its cookie. */
export function newSession(
  { account, seen, address, userAgent }: BrowserOf,
  createdAt: Date,
): { readonly session: SignInSession; readonly cookie: string } {
  const cookie = randomBytes(32)
  const expiresAt = new Date(createdAt.getTime() + SIGN_IN_MS)
  return {
    session: {
      idHash: hashOf(cookie),
      accountId: account.id,
      seen,
      createdAt,
      expiresAt,
      address,
      userAgent,
    },
    cookie: cookie.toString('base64url'),
  }
}

interface NewSession extends BrowserOf {
  readonly account: Account
  /** The hash of the one-time link that is used. Default: none. */
  readonly link?: Uint8Array
  /** Checks the credentials again after the session is stored, because they may have changed just before. */
  readonly recheck: () => Promise<'right' | 'disabled' | 'wrong'>
}

export type SessionOutcome =
  | { readonly outcome: 'signed-in'; readonly account: Account; readonly cookie: string }
  | { readonly outcome: 'disabled' | 'wrong' }

/** Signs the browser in, with an audit log entry, and a second one if the sign-in is undone at once. */
export async function startSession(
  { account, seen, address, userAgent, link, recheck }: NewSession,
  { changeBy, clock }: Pick<IdentityDependencies, 'changeBy' | 'clock'>,
): Promise<SessionOutcome> {
  const { session, cookie } = newSession({ account, seen, address, userAgent }, clock())
  const { username: subject } = account
  const change = changeBy({ actor: accountActor(subject), source: address })
  const begun = await change(async ({ signInSessions, oneTimeLinks, record }) => {
    if (link && !(await oneTimeLinks.remove(link))) return false
    await signInSessions.insert(session)
    await record({ action: 'account.sign-in', subject, ...(link && { details: { link: true } }) })
    return true
  })
  if (!begun) return { outcome: 'wrong' }
  // If the password was changed or the account disabled meanwhile, that removed every session except this one.
  const now = await recheck()
  if (now !== 'right') {
    await change(async ({ signInSessions, record }) => {
      if (await signInSessions.remove(session.idHash)) await record({ action: 'account.sign-out', subject })
    })
    return { outcome: now }
  }
  return { outcome: 'signed-in', account, cookie }
}

/** A signed-in browser. */
export interface SignedIn {
  readonly account: Account
  readonly sessionHash: Uint8Array
}

declare const byCookie: unique symbol

/** A signed-in browser with the time of its sign-in. Only {@link signedInSince} returns one, and only for a cookie. */
export interface SignedInSince extends SignedIn {
  readonly [byCookie]: true
  readonly signedInAt: Date
}

/**
 * Returns the signed-in browser; `undefined` if the cookie is missing, unknown or expired, if the account is
 * disabled, or if its logins were invalidated since.
 */
export const signedIn = (cookie: string | undefined, stores: Stores): Promise<SignedIn | undefined> =>
  signedInSince(cookie, stores)

/** Returns the same with the time of the sign-in, for actions that require a recent one. */
export async function signedInSince(
  cookie: string | undefined,
  { signInSessions, accounts, clock }: Stores,
): Promise<SignedInSince | undefined> {
  const sessionHash = hashOfText(cookie)
  const session = sessionHash && (await signInSessions.find(sessionHash))
  if (!session || session.expiresAt <= clock()) return undefined
  const account = await accounts.findById(session.accountId)
  if (!account || account.disabledAt || endedSince(session.seen, account)) return undefined
  // The cast creates the proof that the type represents: the cookie was looked up here.
  return { account, sessionHash, signedInAt: session.createdAt } as SignedInSince
}

/** Signs out the browser with this cookie, if it is signed in. `address` is the browser's address. */
export async function signOut(
  { cookie, address }: { readonly cookie: string | undefined; readonly address: string },
  deps: IdentityDependencies,
): Promise<void> {
  const browser = await signedIn(cookie, deps)
  if (!browser) return
  const { username: subject } = browser.account
  const change = deps.changeBy({ actor: accountActor(subject), source: address })
  await change(async ({ signInSessions, record }) => {
    if (await signInSessions.remove(browser.sessionHash))
      await record({ action: 'account.sign-out', subject })
  })
}

export interface SignInToEnd {
  readonly accountId: AccountId
  /** When the sign-in began. */
  readonly at: Date
  /** The browser's address. */
  readonly address: string
}

/**
 * Ends the sign-in that a management session was opened from. The caller knows when it began, but not its
 * cookie. Does nothing if there is no such sign-in.
 */
export async function endSignIn(
  { accountId, at, address }: SignInToEnd,
  { accounts, changeBy }: Pick<IdentityDependencies, 'accounts' | 'changeBy'>,
): Promise<void> {
  const account = await accounts.findById(accountId)
  if (!account) return
  const { username: subject } = account
  const change = changeBy({ actor: accountActor(subject), source: address })
  await change(async ({ signInSessions, record }) => {
    if ((await signInSessions.removeBegun(accountId, at)) > 0) {
      await record({ action: 'account.sign-out', subject })
    }
  })
}

const hashOfText = (cookie: string | undefined): Uint8Array | undefined =>
  cookie !== undefined && /^[\w-]{43}$/.test(cookie) ? hashOf(Buffer.from(cookie, 'base64url')) : undefined

/** Returns the stored hash of a cookie. 32 random bytes need no salt. */
const hashOf = (cookie: Uint8Array): Uint8Array => createHash('sha256').update(cookie).digest()
