/** Changes the signed-in user's password. Every other browser is signed out, and this one gets a new session. */
import { endedSince, seenBy } from '../../accounts/ended-logins/login-mark.ts'
import { changePassword } from '../../accounts/passwords/change-password.ts'
import { chosenPasswordBytes } from '../../accounts/passwords/password.ts'
import { accountActor } from '../../change.ts'
import { type SignedIn, startSession } from '../logins/browser-session.ts'
import type { CheckDeps } from '../logins/check-credentials.ts'
import { provePassword } from './prove-owner.ts'

export interface ChangeOwnPasswordInput {
  readonly browser: SignedIn
  readonly old: string
  readonly password: string
  readonly address: string
  /** The browser's User-Agent. */
  readonly userAgent?: string | undefined
}

/**
 * Changes the password. Returns `wrong` if the old password is wrong or the account has changed meanwhile. Throws
 * `invalid-field` if the new password breaks its rule, and `Unavailable` if the old one could not be checked.
 */
export async function changeOwnPassword(
  { browser: { account }, old, password, address, userAgent }: ChangeOwnPasswordInput,
  deps: CheckDeps,
): Promise<
  | { readonly outcome: 'changed'; readonly cookie: string }
  | { readonly outcome: 'wrong' }
  | { readonly outcome: 'throttled'; readonly retryAt: Date }
> {
  // First, because it is cheap.
  chosenPasswordBytes(password)
  const proof = await provePassword({ account, password: old, address }, deps)
  if (proof.verdict === 'throttled') return { outcome: 'throttled', retryAt: proof.retryAt }
  if (proof.verdict === 'wrong') return { outcome: 'wrong' }
  const change = deps.changeBy({ actor: accountActor(account.username), source: address })
  const changed = await changePassword(
    { account, replacing: proof.passwordHash, password },
    { ...deps, change },
  )
  if (!changed) return { outcome: 'wrong' }
  const seen = seenBy(changed)
  const recheck = async () => {
    const now = await deps.accounts.findById(account.id)
    return now && !now.disabledAt && !endedSince(seen, now) ? 'right' : 'wrong'
  }
  const session = await startSession({ account: changed, seen, address, userAgent, recheck }, deps)
  return session.outcome === 'signed-in'
    ? { outcome: 'changed', cookie: session.cookie }
    : { outcome: 'wrong' }
}
