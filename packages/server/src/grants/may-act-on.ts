/** Ensures that callers only act on accounts with no more permissions than theirs (contract/administration.md, B13). */
import { type AccountId, ROLES } from '@ratafia/api'
import { type Authority, covers, type HeldRole } from '../authority.ts'
import { RequestError } from '../errors.ts'
import type { TransactionStores } from '../stores.ts'

/**
 * Throws {@link RequestError} `permission-denied` if the account has a permission that the caller lacks.
 * Returns whether the account has any role now.
 */
export async function requireMayActOn(
  { authority, accountId }: { readonly authority: Authority; readonly accountId: AccountId },
  { grants }: TransactionStores,
  now: Date,
): Promise<{ readonly holdsAny: boolean }> {
  const held = await grants.heldBy(accountId, now)
  const beyond = beyondThem(authority, held)
  if (!beyond) return { holdsAny: held.length > 0 }
  const { role, brandId, permission } = beyond
  throw new RequestError(
    'permission-denied',
    `This account has the role ${role}${brandId === undefined ? '' : ` for ${brandId}`}, and you do not have all its permissions. Ask an operator.`,
    { extra: { needs: permission, brand: brandId ?? null } },
  )
}

/** Whether the caller may act on an account that has these roles. */
export const mayActOn = (authority: Pick<Authority, 'scopeOf'>, held: readonly HeldRole[]): boolean =>
  beyondThem(authority, held) === undefined

/** Returns the first role that has a permission which the caller lacks, and that permission. */
function beyondThem({ scopeOf }: Pick<Authority, 'scopeOf'>, held: readonly HeldRole[]) {
  for (const { role, brandId } of held) {
    for (const permission of ROLES[role].permissions) {
      const scope = scopeOf(permission)
      if (brandId === undefined ? scope === 'all' : covers(scope, brandId)) continue
      return { role, brandId, permission }
    }
  }
  return undefined
}
