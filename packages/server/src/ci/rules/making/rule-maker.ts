/**
 * Who makes a rule (contract/oidc.md, A12): the operator, or a person in a browser. Never the holder of a token, because a
 * rule outlives the token.
 */
import type { Account } from '../../../accounts/account.ts'
import { invalidField, unauthorized } from '../../../errors.ts'
import type { SignedInSince } from '../../../identity/logins/browser-session.ts'

export type RuleMaker =
  | { readonly by: 'operator' }
  | { readonly by: 'person'; readonly browser: SignedInSince }

/** After this a person has to sign in again. */
export const RECENT_SIGN_IN_MS = 300_000

/** Throws a 401 when the sign-in is too long ago, and `invalid-field` when the account is another one. */
export function requireMayMakeRules(
  maker: RuleMaker,
  { account, now }: { account: Account; now: Date },
): void {
  if (maker.by === 'operator') return
  const { browser } = maker
  if (now.getTime() - browser.signedInAt.getTime() >= RECENT_SIGN_IN_MS) {
    throw unauthorized('You signed in 5 minutes ago or earlier. Sign in again, and then make the rule.')
  }
  if (browser.account.id !== account.id) {
    throw invalidField('You can make rules for your own account only.', { field: 'account' })
  }
}
