/**
 * Who somebody is, by name, password and second factor: for the pages of the identity service, and for programs that
 * log in with a password. They share the counters of the throttle.
 */
import type { Account } from '../../accounts/account.ts'
import { verifyPassword } from '../../accounts/passwords/verify-password.ts'
import type { IdentityDependencies } from '../dependencies.ts'

export interface Credentials {
  /** A username, as typed. */
  readonly name: string
  readonly password: string
  /** A code of the second factor, or a recovery code, as typed; undefined: none was given. */
  readonly code?: string | undefined
  /** Where the attempt comes from. */
  readonly address: string
}

export type CredentialsVerdict =
  | {
      readonly verdict: 'right'
      readonly account: Account
      /** As in `verifyPassword`: call it after you stored what the credentials permit. */
      recheck(): Promise<'right' | 'disabled' | 'wrong'>
    }
  /** Does not reveal whether the account exists. */
  | { readonly verdict: 'wrong' }
  /** The next three only for someone who knows the password. */
  | { readonly verdict: 'disabled' }
  | { readonly verdict: 'code-needed' }
  | { readonly verdict: 'code-wrong' }
  | { readonly verdict: 'throttled'; readonly retryAt: Date }

/** Writes nothing but a used code. Throws Unavailable when it could not be checked; such an attempt does not count. */
export async function checkCredentials(
  { name, password, address }: Credentials,
  deps: Pick<IdentityDependencies, 'accounts' | 'passwords' | 'throttle'>,
): Promise<CredentialsVerdict> {
  // People type capitals and spaces, which no username has.
  const username = name.trim().toLowerCase()
  const attempt = await deps.throttle.attempt({ username, address })
  if (!attempt.allowed) return { verdict: 'throttled', retryAt: attempt.retryAt }
  const result = await verifyPassword({ username, password }, deps).catch((error: unknown) => {
    attempt.forgive()
    throw error
  })
  if (result.verdict === 'wrong') return { verdict: 'wrong' }
  attempt.forgive()
  if (result.verdict === 'disabled') return { verdict: 'disabled' }
  return { verdict: 'right', account: result.account, recheck: result.recheck }
}
