/** The account of a management token, and the token's permissions (contract/administration.md, B5). */
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

/** The content of a verified token. */
export interface ManagementLogin extends LoginAge {
  readonly account: Account
  readonly sessionId: SessionId
  /** When the token expires, in milliseconds. */
  readonly until: number
  /** Whether a browser opened its session in the console. */
  readonly inConsole: boolean
  readonly minted: MintedRoles
  /** The limits that its holders appended. */
  readonly limits: readonly RoleLimits[]
}

/** The login with its account's grants, which are read after the login was verified. */
export interface Manager extends ManagementLogin {
  readonly grants: readonly Grant[]
}

export interface RememberedManagers {
  /** Returns undefined if these headers must be verified. */
  find(digest: string): Manager | undefined
  /** Remembers the result of `verify`; only for headers with a single slice. */
  remember(digest: string, verify: () => Promise<Manager>): Promise<Manager>
}

/** The origin of a request, for the audit log. */
export interface RequestOrigin {
  readonly source: string
  /** Default: `api`. */
  readonly via?: 'api' | 'console'
  /** The request's id in the log; or the id of the job that acts. */
  readonly request?: string
  readonly job?: string
}

/** Returns the roles that the account has now and that reach this login. */
export const reachedRoles = (
  { grants, ...age }: LoginAge & Pick<Manager, 'grants'>,
  now: Date,
): readonly Grant[] => grants.filter((grant) => isCurrent(grant, now) && reaches(grant, age))

/** Returns what the token allows of a permission, whatever its account has. */
export const scopeOfToken = (
  { minted, limits }: Pick<ManagementLogin, 'minted' | 'limits'>,
  permission: ManagementPermission,
): BrandScope =>
  intersectScopes(scopeOfRoles(minted.grants, permission, minted), scopeWithinAll(limits, permission))

/** The authority of a caller who presents a management token. */
export interface ManagerAuthority extends Authority {
  readonly manager: Manager
  readonly accountId: AccountId
  readonly signIn: SignIn
}

/** Returns the authority of a request that presents the token at `now`. */
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
      // An agent logs in again for each run, but a person keeps their token.
      signIn.kind === 'agent' ? `agent ${signIn.name}` : sessionId,
      ...[minted, limits, roles.map(({ role, brandId }) => [role, brandId])],
    ]),
  }
}
