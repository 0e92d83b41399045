/** Checks whether a management token has all permissions of its account (contract/administration.md, B4 and B11). */
import { MANAGEMENT_PERMISSIONS } from '@ratafia/api'
import { RequestError } from '../../errors.ts'
import type { ManagerAuthority } from './manager.ts'

type Rights = Pick<ManagerAuthority, 'manager' | 'scopeOf' | 'accountScopeOf'>

/** Whether the token has no limits and every permission that its account has now. */
export function isWholeToken({ manager: { minted, limits }, scopeOf, accountScopeOf }: Rights): boolean {
  const hasAll = MANAGEMENT_PERMISSIONS.every((permission) => {
    const scope = scopeOf(permission)
    const ofAccount = accountScopeOf(permission)
    if (scope === 'all' || ofAccount === 'all') return scope === ofAccount
    return scope.size === ofAccount.size
  })
  return hasAll && !minted.readOnly && limits.length === 0
}

/**
 * Required to create another credential for one's own account. It would have none of the token's limits, so
 * the holder of a limited token would get more than they were given. Only a session that a browser opened in
 * the console can do it: the token of `ratafia login` is in a file, and its thief must not be able to create
 * a credential that outlives it. Throws {@link RequestError} `permission-denied`.
 */
export function requireWholeToken(authority: Rights): void {
  if (!authority.manager.inConsole) {
    throw new RequestError(
      'permission-denied',
      'Only a browser that signed in to the console can do this, and this session was opened elsewhere. Sign in to the console.',
      { extra: { needs: null, brand: null } },
    )
  }
  if (isWholeToken(authority)) return
  throw new RequestError(
    'permission-denied',
    'Your sign-in has fewer permissions than your account, and what you create here would not have its limits. Sign in again without limits.',
    { extra: { needs: null, brand: null } },
  )
}
