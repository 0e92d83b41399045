/**
 * Who makes a rule (contract/oidc.md, A12): who manages the account, or its owner in the console, where they just signed
 * in. No operation of an API takes this, because a rule outlives every token.
 */
import { type Account, requireEnabled } from '../../../accounts/account.ts'
import { requireMayLetIn } from '../../../accounts/administration/may-manage.ts'
import { type Authority, requireForAll, requireRecentPerson } from '../../../authority.ts'
import type { Author } from '../../../change.ts'
import { invalidField, unauthorized } from '../../../errors.ts'
import type { ManagerAuthority } from '../../../management/tokens/manager.ts'
import { requireWholeToken } from '../../../management/tokens/require-whole-token.ts'
import type { TransactionStores } from '../../../stores.ts'

/** `own`: of a session in the console, for its own account. */
export type RuleMaker = { readonly authority: Authority } | { readonly own: ManagerAuthority }

/** A rule outlives the sign-in, so this is shorter than for other things that take a recent one. */
export const JUST_SIGNED_IN_MS = 300_000

export const authorOf = (maker: RuleMaker): Author =>
  'authority' in maker ? maker.authority.author : maker.own.author

/** Throws {@link RequestError} `person-required` and `recent-sign-in-required`. */
export const requireJustSignedIn = (authority: Authority, now: Date): void =>
  requireRecentPerson(authority, now, JUST_SIGNED_IN_MS)

/**
 * Throws `permission-denied`; for the own account as {@link requireJustSignedIn} and {@link requireWholeToken}, and
 * `invalid-field` for another one.
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
    throw invalidField('You can make rules for your own account only.', { field: 'account' })
  }
}

/**
 * In the transaction of the change: a rule lets jobs in as the account. Throws as `requireMayLetIn`; for the own account a
 * 401 if it was disabled meanwhile, or the session was revoked.
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
  // Whoever revokes its sessions waits for the account, or was first.
  const locked = await on.accounts.lock(account.id)
  if (locked) requireEnabled(locked)
  const session = await on.tokenSessions.find(maker.own.manager.sessionId)
  if (!session || session.revokedAt) throw unauthorized('Your session was revoked meanwhile. Sign in again.')
}
