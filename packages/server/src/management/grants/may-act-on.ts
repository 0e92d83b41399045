/** Nobody acts on an account that may do more than they may (contract/administration.md, B13). */
import { type AccountId, ROLES } from '@ratafia/api'
import { type Authority, covers } from '../../authority.ts'
import { RequestError } from '../../errors.ts'
import type { GrantStore } from './grant-store.ts'

/** Whether the account has any role now. Throws {@link RequestError} `permission-denied`. */
export async function requireMayActOn(
  { authority, accountId }: { readonly authority: Authority; readonly accountId: AccountId },
  { grants }: { readonly grants: Pick<GrantStore, 'heldBy'> },
  now: Date,
): Promise<{ readonly holdsAny: boolean }> {
  const held = await grants.heldBy(accountId, now)
  for (const { role, brandId } of held) {
    for (const permission of ROLES[role].permissions) {
      const scope = authority.scopeOf(permission)
      if (brandId === undefined ? scope === 'all' : covers(scope, brandId)) continue
      throw new RequestError(
        'permission-denied',
        `This account has the role ${role}${brandId === undefined ? '' : ` for ${brandId}`}, and you do not have all that it allows. Ask an operator.`,
        { extra: { needs: permission, brand: brandId ?? null } },
      )
    }
  }
  return { holdsAny: held.length > 0 }
}
