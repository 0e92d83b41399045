/**
 * Who calls an operation, and what they may do (contract/administration.md, A4). The management API and the commands on
 * the database each create one. Operations check it themselves, so no route or page can forget to.
 */
import {
  type AccountId,
  isReading,
  type ManagementPermission,
  type Role,
  roleHas,
  rolesWith,
} from '@ratafia/api'
import type { Author } from './change.ts'
import { RequestError } from './errors.ts'

/** The brands that an account or token has a permission for. */
export type BrandScope = 'all' | ReadonlySet<string>

/** A role that an account has. */
export interface HeldRole {
  readonly role: Role
  /** The brand; undefined for all brands, and for what does not belong to a brand. */
  readonly brandId: string | undefined
}

/** How the caller proved who they are. `unknown`: the identity service does not report it. */
export type SignIn =
  | { readonly kind: 'person'; readonly at: Date }
  | { readonly kind: 'agent'; readonly name: string }
  | { readonly kind: 'unknown' }

export interface Authority {
  /** The caller's name in the audit log. */
  readonly author: Author
  /** The caller's name in `decided_by` and `revoked_by`: a username, or `operator`. */
  readonly by: string
  /** The account that the caller logged in as; undefined for a command on the database. */
  readonly accountId: AccountId | undefined
  /** Returns the brands that the caller has the permission for now; empty if there are none. */
  scopeOf(permission: ManagementPermission): BrandScope
  /** Returns the brands that the account has the permission for, including those that the token leaves out. */
  accountScopeOf(permission: ManagementPermission): BrandScope
  /** Undefined for a command on the database: with the secret key, there is nothing more to prove. */
  readonly signIn: SignIn | undefined
  /** The login and everything that limits it, as one string. An answer kept for one caller is shown only to it. */
  readonly caller: string
}

/** The authority of a command on the database, which can do everything. */
export interface DirectAuthority extends Authority {
  readonly accountId: undefined
  readonly manager?: undefined
}

export const directAuthority = (author: Author, by: string): DirectAuthority => ({
  author,
  by,
  accountId: undefined,
  scopeOf: () => 'all',
  accountScopeOf: () => 'all',
  signIn: undefined,
  caller: 'operator',
})

/** Whether the caller is a command on the database. The audit log records only exports over HTTP. */
export const isAtDatabase = ({ accountId }: Authority): boolean => accountId === undefined

/** Returns the brands that the roles together give a permission for. */
export function scopeOfRoles(
  roles: readonly HeldRole[],
  permission: ManagementPermission,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): BrandScope {
  if (readOnly && !isReading(permission)) return NOWHERE
  const having = roles.filter(({ role }) => roleHas(role, permission))
  if (having.some(({ brandId }) => brandId === undefined)) return 'all'
  return new Set(having.flatMap(({ brandId }) => brandId ?? []))
}

const NOWHERE: BrandScope = new Set()

export function intersectScopes(one: BrandScope, other: BrandScope): BrandScope {
  if (one === 'all') return other
  return other === 'all' ? one : new Set([...one].filter((brandId) => other.has(brandId)))
}

export const covers = (scope: BrandScope, brandId: string): boolean => scope === 'all' || scope.has(brandId)

/** Whether `scope` includes every brand of `other`. */
export const includesScope = (scope: BrandScope, other: BrandScope): boolean =>
  scope === 'all' || (other !== 'all' && [...other].every((brandId) => scope.has(brandId)))

/** Returns the named brands that `scope` covers, sorted; without names, all that it covers. */
export function brandsNamed(
  scope: BrandScope,
  names: readonly string[] | undefined,
): readonly string[] | 'all' {
  if (!names) return scope === 'all' ? 'all' : [...scope].sort()
  return [...new Set(names)].filter((brandId) => covers(scope, brandId)).sort()
}

const isNowhere = (scope: BrandScope): boolean => scope !== 'all' && scope.size === 0

/** Returns the brands the caller has the permission for. Throws {@link RequestError} `permission-denied` if none. */
export function brandsFor(authority: Authority, permission: ManagementPermission): BrandScope {
  const scope = authority.scopeOf(permission)
  if (isNowhere(scope)) throw denied(authority, permission, (held) => !isNowhere(held))
  return scope
}

/** Checks a permission for a record that the caller can see. Throws {@link RequestError} `permission-denied`. */
export function requireForBrand(
  authority: Authority,
  permission: ManagementPermission,
  brandId: string,
): void {
  if (covers(authority.scopeOf(permission), brandId)) return
  throw denied(authority, permission, (held) => covers(held, brandId), brandId)
}

/** Checks a permission for what belongs to no brand. Throws {@link RequestError} `permission-denied`. */
export function requireForAll(authority: Authority, permission: ManagementPermission): void {
  if (authority.scopeOf(permission) === 'all') return
  throw denied(authority, permission, (held) => held === 'all')
}

function denied(
  authority: Authority,
  permission: ManagementPermission,
  isEnough: (held: BrandScope) => boolean,
  brandId?: string,
): RequestError {
  const what = `the permission ${permission}${brandId === undefined ? '' : ` for the brand ${brandId}`}`
  const roles = rolesWith(permission).join(', ')
  return new RequestError(
    'permission-denied',
    isEnough(authority.accountScopeOf(permission))
      ? `This needs ${what}. Your account has it, but this token was created without it. ${howToGetIt(authority)}`
      : `This needs ${what}, which your account does not have. These roles have it: ${roles}. Ask an operator to grant one.`,
    { extra: { needs: permission, brand: brandId ?? null } },
  )
}

/** An agent does not have the roles that its account got after the agent was added. */
const howToGetIt = ({ signIn }: Authority): string =>
  signIn?.kind === 'agent'
    ? `Log in again without that limit, or, if the role is newer than the agent, ask an operator to grant it with --with-agent ${signIn.name}.`
    : 'Log in again without that limit.'

/** How recent a sign-in must be to create a credential, or to give an account more permissions (B10). */
export const RECENT_SIGN_IN_MS = 15 * 60_000

/** Throws {@link RequestError} `person-required` if the caller is not a person. */
function requirePerson({ signIn }: Authority): void {
  if (signIn === undefined || signIn.kind === 'person') return
  const who = signIn.kind === 'agent' ? `that of the agent ${signIn.name}` : 'of an unknown kind'
  throw new RequestError(
    'person-required',
    `Only a person who logged in with a browser may do this, and your login is ${who}. Log in with a browser.`,
  )
}

/** Like {@link requirePerson}; also throws `recent-sign-in-required` after `within` milliseconds since the sign-in. */
export function requireRecentPerson(authority: Authority, now: Date, within = RECENT_SIGN_IN_MS): void {
  requirePerson(authority)
  const { signIn } = authority
  if (signIn?.kind !== 'person' || now.getTime() - signIn.at.getTime() < within) return
  const seconds = within / 1000
  throw new RequestError(
    'recent-sign-in-required',
    `This needs a login of the last ${seconds / 60} minutes. Yours is from ${signIn.at.toISOString()}. Log in again and repeat the request.`,
    { extra: { max_age: seconds } },
  )
}

/** Returns the id of the account that the caller logged in as. Throws `TypeError` for a caller without an account. */
export function ownId({ accountId }: Pick<Authority, 'accountId'>): AccountId {
  if (accountId === undefined) throw new TypeError('only an account has records of its own')
  return accountId
}
