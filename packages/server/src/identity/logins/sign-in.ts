/** Signs a browser in with a password, and out. */
import { createHash, randomBytes } from 'node:crypto'
import type { Account } from '../../accounts/account.ts'
import { endedSince, seenBy } from '../../accounts/ended-logins/login-mark.ts'
import { accountActor } from '../../change.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { checkCredentials } from './check-credentials.ts'

/** How long a browser stays signed in. */
export const SIGN_IN_MS = 12 * 60 * 60_000

export interface SignInInput {
  readonly username: string
  readonly password: string
  /** The browser's. */
  readonly address: string
}

export type SignInOutcome =
  | { readonly outcome: 'signed-in'; readonly account: Account; readonly cookie: string }
  /** Does not reveal whether the account exists. */
  | { readonly outcome: 'wrong' }
  /** Only for someone who knows the password. */
  | { readonly outcome: 'disabled' }
  | { readonly outcome: 'throttled'; readonly retryAt: Date }

/**
 * A sign-in has an entry in the audit log. A failed one has none: before someone has proved who they are, nothing is
 * written. Throws Unavailable when it could not be checked; such an attempt does not count.
 */
export async function signIn(
  input: SignInInput,
  deps: Pick<IdentityDependencies, 'accounts' | 'passwords' | 'throttle' | 'changeBy' | 'clock'>,
): Promise<SignInOutcome> {
  const { username: name, password, address } = input
  const result = await checkCredentials({ name, password, address }, deps)
  if (result.verdict === 'throttled') return { outcome: 'throttled', retryAt: result.retryAt }
  if (result.verdict === 'disabled') return { outcome: 'disabled' }
  if (result.verdict !== 'right') return { outcome: 'wrong' }
  const cookie = randomBytes(32)
  const createdAt = deps.clock()
  const expiresAt = new Date(createdAt.getTime() + SIGN_IN_MS)
  const idHash = hashOf(cookie)
  const { id: accountId, username: subject } = result.account
  const seen = seenBy(result.account)
  const change = deps.changeBy({ actor: accountActor(subject), source: address })
  await change(async ({ signInSessions, record }) => {
    await signInSessions.insert({ idHash, accountId, seen, createdAt, expiresAt })
    await record({ action: 'account.sign-in', subject })
  })
  // If the password was changed or the account disabled during the check, that ended every session but this one.
  const now = await result.recheck()
  if (now !== 'right') {
    await change(async ({ signInSessions, record }) => {
      if (await signInSessions.remove(idHash)) await record({ action: 'account.sign-out', subject })
    })
    return { outcome: now }
  }
  return { outcome: 'signed-in', account: result.account, cookie: cookie.toString('base64url') }
}

/** A browser that is signed in. */
export interface SignedIn {
  readonly account: Account
  readonly sessionHash: Uint8Array
}

/** `undefined` for no cookie, an unknown or expired one, a disabled account, or one whose logins were ended since. */
export async function signedIn(
  cookie: string | undefined,
  { signInSessions, accounts, clock }: Pick<IdentityDependencies, 'signInSessions' | 'accounts' | 'clock'>,
): Promise<SignedIn | undefined> {
  const sessionHash = hashOfText(cookie)
  const session = sessionHash && (await signInSessions.find(sessionHash))
  if (!session || session.expiresAt <= clock()) return undefined
  const account = await accounts.findById(session.accountId)
  return account && !account.disabledAt && !endedSince(session.seen, account)
    ? { account, sessionHash }
    : undefined
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

const hashOfText = (cookie: string | undefined): Uint8Array | undefined =>
  cookie !== undefined && /^[\w-]{43}$/.test(cookie) ? hashOf(Buffer.from(cookie, 'base64url')) : undefined

/** 32 random bytes need no salt. */
const hashOf = (cookie: Uint8Array): Uint8Array => createHash('sha256').update(cookie).digest()
