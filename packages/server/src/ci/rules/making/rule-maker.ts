/**
 * The authors of rules (contract/oidc.md, A12): operators and account managers on the host, or the account's owner, who
 * just signed in to the console. No operation of an API creates a rule, because a rule outlives every token.
 */
import { type Account, requireEnabled } from '../../../accounts/account.ts'
import { requireMayLetIn } from '../../../accounts/administration/may-manage.ts'
import { type Authority, requireForAll, requireRecentPerson } from '../../../authority.ts'
import type { Author } from '../../../change.ts'
import { invalidField, unauthorized } from '../../../errors.ts'
import type { ManagerAuthority } from '../../../management/tokens/manager.ts'
import { requireWholeToken } from '../../../management/tokens/require-whole-token.ts'
import type { TransactionStores } from '../../../stores.ts'

/** `own` is a session in the console that acts for its own account. */
export type RuleMaker = { readonly authority: Authority } | { readonly own: ManagerAuthority }

/** A rule outlives the sign-in, so this is shorter than for other actions that require a recent sign-in. */
export const JUST_SIGNED_IN_MS = 300_000

export const authorOf = (maker: RuleMaker): Author =>
  'authority' in maker ? maker.authority.author : maker.own.author

/** Throws {@link RequestError} `person-required` and `recent-sign-in-required`. */
export const requireJustSignedIn = (authority: Authority, now: Date): void =>
  requireRecentPerson(authority, now, JUST_SIGNED_IN_MS)

/**
 * Throws `permission-denied`. For `own`, throws the errors of {@link requireJustSignedIn} and {@link
 * requireWholeToken}, and `invalid-field` for another account.
 */
export function requireMayMakeRules(
  maker: RuleMaker,
  { account, now }: { account: Account; now: Date },
): void {
  if ('authority' in maker) {
    requireForAll(maker.authority, 'accounts:manage')
    return
  }
  requireJustSignedIn(maker.own, now)
  requireWholeToken(maker.own)
  if (maker.own.accountId !== account.id) {
    throw invalidField('You can create rules only for your own account.', { field: 'account' })
  }
}

/**
 * Checks, in the transaction of the change, that the author may let jobs act as the account. Throws the errors of
 * `requireMayLetIn`; for `own`, a 401 if the account was disabled meanwhile or the session was revoked.
 */
export async function requireMayLetJobsIn(
  maker: RuleMaker,
  { account, now }: { account: Account; now: Date },
  on: TransactionStores,
): Promise<void> {
  if ('authority' in maker) {
    await requireMayLetIn({ authority: maker.authority, account }, on, now)
    return
  }
  // A concurrent revocation of its sessions either waits for this lock or has taken effect already.
  const locked = await on.accounts.lock(account.id)
  if (locked) requireEnabled(locked)
  const session = await on.tokenSessions.find(maker.own.manager.sessionId)
  if (!session || session.revokedAt)
    throw unauthorized('Your session was revoked in the meantime. Sign in again.')
}
