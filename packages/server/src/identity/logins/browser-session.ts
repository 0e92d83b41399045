/** The session of a browser: begun once somebody has proved who they are, and ended by them, or with their logins. */
import { createHash, randomBytes } from 'node:crypto'
import type { AccountId } from '@ratafia/api'
import type { Account } from '../../accounts/account.ts'
import { endedSince } from '../../accounts/ended-logins/login-mark.ts'
import { accountActor } from '../../change.ts'
import type { Stores } from '../../stores.ts'
import type { IdentityDependencies } from '../dependencies.ts'

/** How long a browser stays signed in. */
export const SIGN_IN_MS = 12 * 60 * 60_000

interface NewSession {
  readonly account: Account
  /** Of the account when it was proved: see `login-mark.ts`. */
  readonly seen: number
  /** The browser's. */
  readonly address: string
  /** What the browser calls itself. */
  readonly userAgent?: string | undefined
  /** The hash of the one-time link that this uses up. Default: none. */
  readonly link?: Uint8Array
  /** Asked once the session is stored: what it rests on may have changed just before. */
  readonly recheck: () => Promise<'right' | 'disabled' | 'wrong'>
}

export type SessionOutcome =
  | { readonly outcome: 'signed-in'; readonly account: Account; readonly cookie: string }
  | { readonly outcome: 'disabled' | 'wrong' }

/** Has an entry in the audit log, and a second one if it is undone at once. */
export async function startSession(
  { account, seen, address, userAgent, link, recheck }: NewSession,
  { changeBy, clock }: Pick<IdentityDependencies, 'changeBy' | 'clock'>,
): Promise<SessionOutcome> {
  const cookie = randomBytes(32)
  const createdAt = clock()
  const expiresAt = new Date(createdAt.getTime() + SIGN_IN_MS)
  const idHash = hashOf(cookie)
  const { id: accountId, username: subject } = account
  const change = changeBy({ actor: accountActor(subject), source: address })
  const begun = await change(async ({ signInSessions, oneTimeLinks, record }) => {
    if (link && !(await oneTimeLinks.remove(link))) return false
    await signInSessions.insert({ idHash, accountId, seen, createdAt, expiresAt, address, userAgent })
    await record({ action: 'account.sign-in', subject, ...(link && { details: { link: true } }) })
    return true
  })
  if (!begun) return { outcome: 'wrong' }
  // If the password was changed or the account disabled meanwhile, that ended every session but this one.
  const now = await recheck()
  if (now !== 'right') {
    await change(async ({ signInSessions, record }) => {
      if (await signInSessions.remove(idHash)) await record({ action: 'account.sign-out', subject })
    })
    return { outcome: now }
  }
  return { outcome: 'signed-in', account, cookie: cookie.toString('base64url') }
}

/** A browser that is signed in. */
export interface SignedIn {
  readonly account: Account
  readonly sessionHash: Uint8Array
}

declare const byCookie: unique symbol

/** With the time of the sign-in. Only {@link signedInSince} makes one, from a cookie: a token is not enough. */
export interface SignedInSince extends SignedIn {
  readonly [byCookie]: true
  readonly signedInAt: Date
}

/** `undefined` for no cookie, an unknown or expired one, a disabled account, or one whose logins were ended since. */
export const signedIn = (cookie: string | undefined, stores: Stores): Promise<SignedIn | undefined> =>
  signedInSince(cookie, stores)

/** The same, for what a sign-in of long ago does not allow. */
export async function signedInSince(
  cookie: string | undefined,
  { signInSessions, accounts, clock }: Stores,
): Promise<SignedInSince | undefined> {
  const sessionHash = hashOfText(cookie)
  const session = sessionHash && (await signInSessions.find(sessionHash))
  if (!session || session.expiresAt <= clock()) return undefined
  const account = await accounts.findById(session.accountId)
  if (!account || account.disabledAt || endedSince(session.seen, account)) return undefined
  // The cast makes the proof that the type stands for: the cookie was looked up here.
  return { account, sessionHash, signedInAt: session.createdAt } as SignedInSince
}

/** Ends the session of this cookie if there is a valid one. `address` is the browser's. */
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
  /** When it began. */
  readonly at: Date
  /** The browser's. */
  readonly address: string
}

/**
 * Ends the sign-in that a session elsewhere rests on: whoever has that knows when it began, and not the cookie. Does
 * nothing if there is none.
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

/** 32 random bytes need no salt. */
const hashOf = (cookie: Uint8Array): Uint8Array => createHash('sha256').update(cookie).digest()
