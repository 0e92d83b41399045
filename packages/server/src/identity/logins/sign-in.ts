/** Signs a browser in: with a password, and then with a code if the account has a second factor. */
import { endedSince, seenBy } from '../../accounts/ended-logins/login-mark.ts'
import { confirmedFactors } from '../../accounts/second-factor/second-factor.ts'
import { type SessionOutcome, startSession } from './browser-session.ts'
import { type CheckDeps, checkCredentials, tallyRefused, tryCode } from './check-credentials.ts'
import { openFor, sealFor } from './sealed-texts.ts'

/** How long the code may follow the password. */
const CODE_MS = 5 * 60_000

export interface SignInInput {
  /** A username or an e-mail address. */
  readonly username: string
  readonly password: string
  /** The browser's. */
  readonly address: string
  readonly userAgent?: string | undefined
}

/** `wrong` does not reveal whether the account exists; `disabled` is only for someone who knows the password. */
export type SignInOutcome =
  | SessionOutcome
  | { readonly outcome: 'throttled'; readonly retryAt: Date }
  /** `step` goes back with the code: it stands for the password. */
  | { readonly outcome: 'code-needed'; readonly step: string }

/**
 * A sign-in has an entry in the audit log. A failed one has none: before someone has proved who they are, nothing is
 * written. Throws Unavailable when it could not be checked; such an attempt does not count.
 */
export async function signIn(
  { username: name, password, address, userAgent }: SignInInput,
  deps: CheckDeps,
): Promise<SignInOutcome> {
  const result = await checkCredentials({ name, password, address }, deps)
  switch (result.verdict) {
    case 'right': {
      const { account, recheck } = result
      return startSession({ account, seen: seenBy(account), address, userAgent, recheck }, deps)
    }
    case 'code-needed': {
      const { id: account } = result.account
      const expires = deps.clock().getTime() + CODE_MS
      const step = await sealFor(
        'second-factor',
        { account, seen: seenBy(result.account), expires },
        deps.keyring,
      )
      return { outcome: 'code-needed', step }
    }
    case 'throttled':
      return { outcome: 'throttled', retryAt: result.retryAt }
    case 'disabled':
      return { outcome: 'disabled' }
    default:
      return { outcome: 'wrong' }
  }
}

export interface CodeInput {
  /** From {@link signIn}. */
  readonly step: string
  readonly code: string
  /** The browser's. */
  readonly address: string
  readonly userAgent?: string | undefined
}

/**
 * The second half of a sign-in. `expired`: too late, or the account has changed since; the password is asked for again.
 * Throws as {@link signIn}.
 */
export async function signInWithCode(
  { step, code, address, userAgent }: CodeInput,
  deps: CheckDeps,
): Promise<Exclude<SignInOutcome, { outcome: 'code-needed' }> | { readonly outcome: 'expired' }> {
  const content = await openFor('second-factor', step, deps.keyring)
  if (!content || content.expires <= deps.clock().getTime()) return { outcome: 'expired' }
  const { seen } = content
  /** What the password was right for. */
  const unchanged = async () => {
    const account = await deps.accounts.findById(content.account)
    return account && !account.disabledAt && !endedSince(seen, account) ? account : undefined
  }
  const account = await unchanged()
  if (!account || (await confirmedFactors(account.id, deps)).length === 0) return { outcome: 'expired' }
  const result = await tryCode({ account, code, address }, deps)
  tallyRefused(result.verdict, deps)
  if (result.verdict === 'throttled') return { outcome: 'throttled', retryAt: result.retryAt }
  if (result.verdict === 'code-wrong') return { outcome: 'wrong' }
  const recheck = async () => ((await unchanged()) ? 'right' : 'wrong')
  return startSession({ account, seen, address, userAgent, recheck }, deps)
}
