/** Who a management token speaks for, and what it may do (contract/administration.md, B5). */
import type { AccountId, ManagementPermission, SessionId } from '@ratafia/api'
import type { Account } from '../../accounts/account.ts'
import {
  type Authority,
  type BrandScope,
  intersectScopes,
  type SignIn,
  scopeOfRoles,
} from '../../authority.ts'
import { accountActor } from '../../change.ts'
import { type Grant, isCurrent } from '../../grants/grant.ts'
import { type MintedRoles, type RoleLimits, scopeWithinAll } from '../../grants/manage-caveat.ts'
import { type LoginAge, reaches } from '../grants/reaches.ts'

/** What a verified token says. */
export interface ManagementLogin extends LoginAge {
  readonly account: Account
  readonly sessionId: SessionId
  /** The end of the token, in milliseconds. */
  readonly until: number
  /** Whether a browser opened its session in the console. */
  readonly inConsole: boolean
  readonly minted: MintedRoles
  /** Those that its holders appended. */
  readonly limits: readonly RoleLimits[]
}

/** With what its account has been given, read after the login was verified. */
export interface Manager extends ManagementLogin {
  readonly grants: readonly Grant[]
}

export interface RememberedManagers {
  /** Undefined if these headers have to be verified. */
  find(digest: string): Manager | undefined
  /** Remembers what `verify` finds; only for headers with a single slice. */
  remember(digest: string, verify: () => Promise<Manager>): Promise<Manager>
}

/** Where a request came from, for the audit log. */
export interface RequestOrigin {
  readonly source: string
  /** Default: `api`. */
  readonly via?: 'api' | 'console'
  /** The id of the request, as the log has it; or of the job that acts. */
  readonly request?: string
  readonly job?: string
}

/** The roles that the account has now, and this login with it. */
export const reachedRoles = (
  { grants, ...age }: LoginAge & Pick<Manager, 'grants'>,
  now: Date,
): readonly Grant[] => grants.filter((grant) => isCurrent(grant, now) && reaches(grant, age))

/** What the token leaves of a permission, whatever its account has. */
export const scopeOfToken = (
  { minted, limits }: Pick<ManagementLogin, 'minted' | 'limits'>,
  permission: ManagementPermission,
): BrandScope =>
  intersectScopes(scopeOfRoles(minted.grants, permission, minted), scopeWithinAll(limits, permission))

/** The authority of whoever presents a management token. */
export interface ManagerAuthority extends Authority {
  readonly manager: Manager
  readonly accountId: AccountId
  readonly signIn: SignIn
}

/** Of a request that presents the token, at `now`. */
export function authorityOf(
  manager: Manager,
  { source, ...origin }: RequestOrigin,
  now: Date,
): ManagerAuthority {
  const { account, sessionId, signIn, minted, limits } = manager
  const roles = reachedRoles(manager, now)
  const current = manager.grants.filter((grant) => isCurrent(grant, now))
  const ofAccount = (permission: ManagementPermission) => scopeOfRoles(current, permission)
  const ofLogin = (permission: ManagementPermission) => scopeOfRoles(roles, permission)
  return {
    manager,
    author: {
      actor: accountActor(account.username),
      source,
      details: {
        via: 'api',
        session: sessionId,
        role: [...new Set(minted.grants.map(({ role }) => role))].join(','),
        ...(signIn.kind === 'agent' ? { agent: signIn.name } : {}),
        ...origin,
      },
    },
    by: account.username,
    accountId: account.id,
    scopeOf: (permission) => intersectScopes(ofLogin(permission), scopeOfToken(manager, permission)),
    accountScopeOf: ofAccount,
    signIn,
    caller: JSON.stringify([
      // An agent logs in for each of its runs; a person keeps their token.
      signIn.kind === 'agent' ? `agent ${signIn.name}` : sessionId,
      ...[minted, limits, roles.map(({ role, brandId }) => [role, brandId])],
    ]),
  }
}
