/**
 * Proves that a signed-in browser is still used by its owner. Changes that weaken or replace a login require
 * the password or a code.
 */
import type { Account } from '../../accounts/account.ts'
import { verifyPassword } from '../../accounts/passwords/verify-password.ts'
import { bareCode } from '../../accounts/second-factor/recovery-code.ts'
import { isTimeCode } from '../../accounts/second-factor/totp.ts'
import { type CheckDeps, isRightCode, tryCode } from '../logins/check-credentials.ts'
import { countFailures, type Throttled } from '../logins/throttle.ts'

export interface Proof {
  readonly account: Account
  readonly password: string
  /** The browser's address. */
  readonly address: string
}

export type ProofVerdict =
  | { readonly verdict: 'right'; readonly passwordHash: string }
  | { readonly verdict: 'wrong' }
  | Throttled

/** Checks the password. Throws `Unavailable` if it could not be checked, and then the attempt does not count. */
export function provePassword({ account, password, address }: Proof, deps: CheckDeps): Promise<ProofVerdict> {
  return countFailures({ name: account.username, address }, deps.throttle, () =>
    checked(account, password, deps),
  )
}

/**
 * Checks `proof`, which is a code of the second factor, a recovery code, or the password. Six digits cannot
 * be a password, so they share the count of codes with the sign-in.
 */
export async function prove(
  { account, proof, address }: Omit<Proof, 'password'> & { readonly proof: string },
  deps: CheckDeps,
): Promise<{ readonly verdict: 'right' | 'wrong' } | Throttled> {
  if (isTimeCode(bareCode(proof))) {
    const coded = await tryCode({ account, code: proof, address }, deps)
    return coded.verdict === 'code-wrong' ? { verdict: 'wrong' } : coded
  }
  return countFailures({ name: account.username, address }, deps.throttle, async () => {
    if (await isRightCode({ account, code: proof, address }, deps)) return { verdict: 'right' }
    const { verdict } = await checked(account, proof, deps)
    return { verdict }
  })
}

async function checked(
  { username }: Account,
  password: string,
  deps: CheckDeps,
): Promise<{ readonly verdict: 'right'; readonly passwordHash: string } | { readonly verdict: 'wrong' }> {
  const found = await deps.accounts.findPassword(username)
  const result = await verifyPassword({ found, password }, deps)
  // The account is not disabled here, because then the browser would not be signed in.
  return result.verdict === 'right'
    ? { verdict: 'right', passwordHash: result.passwordHash }
    : { verdict: 'wrong' }
}
