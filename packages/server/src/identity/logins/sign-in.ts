/** Signs a browser in with a password, and then with a code if the account has a second factor. */
import { endedSince, seenBy } from '../../accounts/ended-logins/login-mark.ts'
import { confirmedFactors } from '../../accounts/second-factor/second-factor.ts'
import { type SessionOutcome, startSession } from './browser-session.ts'
import { type CheckDeps, checkCredentials, tallyRefused, tryCode } from './check-credentials.ts'
import { openFor, sealFor } from './sealed-texts.ts'

/** How long the user has time to enter the code after the password. */
const CODE_MS = 5 * 60_000

export interface SignInInput {
  /** A username or an e-mail address. */
  readonly username: string
  readonly password: string
  /** The browser's address. */
  readonly address: string
  readonly userAgent?: string | undefined
}

/** `wrong` does not reveal whether the account exists. Only callers who know the password get `disabled`. */
export type SignInOutcome =
  | SessionOutcome
  | { readonly outcome: 'throttled'; readonly retryAt: Date }
  /** The form sends `step` back with the code, as proof of the password. */
  | { readonly outcome: 'code-needed'; readonly step: string }

/**
 * Signs in with a password. A sign-in gets an entry in the audit log. A failed one does not, because nothing is written
 * for strangers. Throws `Unavailable` if the password could not be checked, and then the attempt does not count.
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
  /** The `step` from {@link signIn}. */
  readonly step: string
  readonly code: string
  /** The browser's address. */
  readonly address: string
  readonly userAgent?: string | undefined
}

/**
 * Completes a sign-in with a code. `expired` means that it is too late or the account has changed since, so
 * the user must enter the password again. Throws as {@link signIn} does.
 */
export async function signInWithCode(
  { step, code, address, userAgent }: CodeInput,
  deps: CheckDeps,
): Promise<Exclude<SignInOutcome, { outcome: 'code-needed' }> | { readonly outcome: 'expired' }> {
  const content = await openFor('second-factor', step, deps.keyring)
  if (!content || content.expires <= deps.clock().getTime()) return { outcome: 'expired' }
  const { seen } = content
  /** Returns the account, unless it has changed since the password was checked. */
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
