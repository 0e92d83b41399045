/** `GET /api/management/v1/me`: the caller, and their current permissions. */
import { MANAGEMENT_PERMISSIONS } from '@ratafia/api'
import type { Authority, BrandScope, SignIn } from '../authority.ts'
import { grantId, isCurrent } from '../grants/grant.ts'
import type { ManagerAuthority } from './tokens/manager.ts'

/** Returns the record; `now` decides which grants are still in force. */
export function describeManager(authority: ManagerAuthority, now: Date) {
  const { account, sessionId, until, grants, signIn } = authority.manager
  return {
    id: account.id,
    username: account.username,
    name: account.name,
    email: account.email,
    signed_in: signedIn(signIn),
    session_id: sessionId,
    expires: new Date(until).toISOString(),
    grants: grants
      .filter((grant) => isCurrent(grant, now))
      .map((grant) => ({
        id: grantId(grant),
        role: grant.role,
        brand: grant.brandId ?? null,
        granted_at: grant.grantedAt.toISOString(),
        granted_by: grant.grantedBy,
        expires_at: grant.expiresAt?.toISOString() ?? null,
      })),
    permissions: permissionsOf(authority),
  }
}

/** Returns the permissions, with the brands for each; null for all brands. */
export const permissionsOf = ({ scopeOf }: Pick<Authority, 'scopeOf'>) =>
  MANAGEMENT_PERMISSIONS.map((permission) => ({
    permission,
    brands: brandsIn(scopeOf(permission)),
  })).filter(({ brands }) => brands === null || brands.length > 0)

const brandsIn = (scope: BrandScope): string[] | null => (scope === 'all' ? null : [...scope].sort())

const signedIn = (signIn: SignIn) => ({
  with: signIn.kind === 'person' ? ('browser' as const) : signIn.kind,
  at: signIn.kind === 'person' ? signIn.at.toISOString() : null,
  agent: signIn.kind === 'agent' ? signIn.name : null,
})
