/**
 * Who makes a rule (contract/oidc.md, A12): who manages the account, or its owner in a browser. Never the holder of a
 * developer token, because a rule outlives the token.
 */
import type { Account } from '../../../accounts/account.ts'
import { type InGrants, requireMayLetIn } from '../../../accounts/administration/may-manage.ts'
import { type Authority, requireForAll } from '../../../authority.ts'
import type { Author } from '../../../change.ts'
import { invalidField, unauthorized } from '../../../errors.ts'
import type { SignedInSince } from '../../../identity/logins/browser-session.ts'

export type RuleMaker =
  | { readonly authority: Authority }
  | { readonly browser: SignedInSince; readonly author: Author }

/** After this a person has to sign in again. */
export const RECENT_SIGN_IN_MS = 300_000

export const authorOf = (maker: RuleMaker): Author =>
  'authority' in maker ? maker.authority.author : maker.author

/**
 * Throws `permission-denied`, a 401 when the sign-in is too long ago, and `invalid-field` when the account of a person is
 * another one.
 */
export function requireMayMakeRules(
  maker: RuleMaker,
  { account, now }: { account: Account; now: Date },
): void {
  if ('authority' in maker) {
    requireForAll(maker.authority, 'accounts:manage')
    return
  }
  const { browser } = maker
  if (now.getTime() - browser.signedInAt.getTime() >= RECENT_SIGN_IN_MS) {
    throw unauthorized('You signed in 5 minutes ago or earlier. Sign in again, and then make the rule.')
  }
  if (browser.account.id !== account.id) {
    throw invalidField('You can make rules for your own account only.', { field: 'account' })
  }
}

/** In the transaction of the change: a rule lets jobs in as the account. Throws as `requireMayLetIn`. */
export async function requireMayLetJobsIn(
  maker: RuleMaker,
  { account, now }: { account: Account; now: Date },
  on: InGrants,
): Promise<void> {
  if ('authority' in maker) await requireMayLetIn({ authority: maker.authority, account }, on, now)
}
