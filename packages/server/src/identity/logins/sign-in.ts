/** Signs a browser in with a password, and out. */
import { createHash, randomBytes } from 'node:crypto'
import type { Account } from '../../accounts/account.ts'
import { verifyPassword } from '../../accounts/verify-password.ts'
import { accountActor } from '../../change.ts'
import { type IdentityDependencies, SIGN_IN_MS } from '../dependencies.ts'

export interface SignInInput {
  readonly username: string
  readonly password: string
  /** Of the browser. */
  readonly address: string
}

export type SignInOutcome =
  | { readonly outcome: 'signed-in'; readonly account: Account; readonly cookie: string }
  /** Whether the account exists is not told. */
  | { readonly outcome: 'wrong' }
  /** Only told to who knows the password. */
  | { readonly outcome: 'disabled' }
  | { readonly outcome: 'throttled'; readonly retryAt: Date }

type SignInDeps = Pick<IdentityDependencies, 'accounts' | 'passwords' | 'throttle' | 'changeBy' | 'clock'>

/**
 * A sign-in is a change, and has an entry in the audit log; one that fails is none: whoever has not proved who they are
 * writes nothing.
 *
 * Throws Unavailable when it could not be checked; such an attempt does not count.
 */
export async function signIn(input: SignInInput, deps: SignInDeps): Promise<SignInOutcome> {
  // People type capitals and spaces that no username has.
  const username = input.username.trim().toLowerCase()
  const attempt = await deps.throttle.attempt({ username, address: input.address })
  if (!attempt.allowed) return { outcome: 'throttled', retryAt: attempt.retryAt }
  const result = await verifyPassword({ username, password: input.password }, deps).catch(
    (error: unknown) => {
      attempt.forgive()
      throw error
    },
  )
  if (result.verdict === 'wrong') return { outcome: 'wrong' }
  attempt.forgive()
  if (result.verdict === 'disabled') return { outcome: 'disabled' }
  const cookie = randomBytes(32)
  const createdAt = deps.clock()
  const expiresAt = new Date(createdAt.getTime() + SIGN_IN_MS)
  const idHash = hashOf(cookie)
  const { id: accountId, username: subject } = result.account
  const change = deps.changeBy({ actor: accountActor(subject), source: input.address })
  await change(async ({ signInSessions, record }) => {
    await signInSessions.insert({ idHash, accountId, createdAt, expiresAt })
    await record({ action: 'account.sign-in', subject })
  })
  // A password set, or an account disabled, while this one was checked has ended every session but this one.
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

/** `undefined` for no cookie, an unknown or expired one, or a disabled account. */
export async function signedIn(
  cookie: string | undefined,
  { signInSessions, accounts, clock }: Pick<IdentityDependencies, 'signInSessions' | 'accounts' | 'clock'>,
): Promise<SignedIn | undefined> {
  const sessionHash = hashOfText(cookie)
  const session = sessionHash && (await signInSessions.find(sessionHash))
  if (!session || session.expiresAt <= clock()) return undefined
  const account = await accounts.findById(session.accountId)
  return account && !account.disabledAt ? { account, sessionHash } : undefined
}

/** Ends the session of this cookie, if it has one that holds. `address` is that of the browser. */
export async function signOut(
  { cookie, address }: { readonly cookie: string | undefined; readonly address: string },
  deps: Pick<IdentityDependencies, 'signInSessions' | 'accounts' | 'changeBy' | 'clock'>,
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

/** A hash without salt is enough for 32 random bytes. */
const hashOf = (cookie: Uint8Array): Uint8Array => createHash('sha256').update(cookie).digest()
