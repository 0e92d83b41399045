/**
 * Who asks an operation for something, and what they may do there (contract/administration.md, A4). The management API
 * and the commands on the database each make one; the operations check it, so no route and no page can forget to.
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

/** The brands that somebody has a permission for. */
export type BrandScope = 'all' | ReadonlySet<string>

/** A role that an account has. */
export interface HeldRole {
  readonly role: Role
  /** Undefined: for all brands, and for what belongs to none. */
  readonly brandId: string | undefined
}

/** How somebody proved who they are. `unknown`: an identity service that does not say. */
export type SignIn =
  | { readonly kind: 'person'; readonly at: Date }
  | { readonly kind: 'agent'; readonly name: string }
  | { readonly kind: 'unknown' }

export interface Authority {
  /** As the audit log names them. */
  readonly author: Author
  /** As `decided_by` and `revoked_by` have it: a username, or `operator`. */
  readonly by: string
  /** Of the account that they logged in as. Undefined for whoever has the database. */
  readonly accountId: AccountId | undefined
  /** What they may do now. Empty: nowhere. */
  scopeOf(permission: ManagementPermission): BrandScope
  /** What their account may do, where their token leaves it out. */
  accountScopeOf(permission: ManagementPermission): BrandScope
  /** Undefined for whoever has the database and the secret key: nobody could ask them for more. */
  readonly signIn: SignIn | undefined
  /** The login and everything that limits it, as one text. An answer that was kept for one caller is shown to no other. */
  readonly caller: string
}

/** Of a command on the database: it may do everything. */
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

/** Whether the caller works on the database itself. The audit log records exports over HTTP alone. */
export const isAtDatabase = ({ accountId }: Authority): boolean => accountId === undefined

/** The brands that the roles together give a permission for. */
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

/** Whether the one scope has every brand of the other. */
export const includesScope = (scope: BrandScope, other: BrandScope): boolean =>
  scope === 'all' || (other !== 'all' && [...other].every((brandId) => scope.has(brandId)))

/** Those that are named and covered, sorted; with no names, all that are covered. */
export function brandsNamed(
  scope: BrandScope,
  names: readonly string[] | undefined,
): readonly string[] | 'all' {
  if (!names) return scope === 'all' ? 'all' : [...scope].sort()
  return [...new Set(names)].filter((brandId) => covers(scope, brandId)).sort()
}

const isNowhere = (scope: BrandScope): boolean => scope !== 'all' && scope.size === 0

/** The brands that they have the permission for. Throws {@link RequestError} `permission-denied` if there are none. */
export function brandsFor(authority: Authority, permission: ManagementPermission): BrandScope {
  const scope = authority.scopeOf(permission)
  if (isNowhere(scope)) throw denied(authority, permission, (held) => !isNowhere(held))
  return scope
}

/** For a record of a brand that they see. Throws {@link RequestError} `permission-denied`. */
export function requireForBrand(
  authority: Authority,
  permission: ManagementPermission,
  brandId: string,
): void {
  if (covers(authority.scopeOf(permission), brandId)) return
  throw denied(authority, permission, (held) => covers(held, brandId), brandId)
}

/** For what belongs to no brand. Throws {@link RequestError} `permission-denied`. */
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
      ? `This needs ${what}. Your account has it, and this token was made without it. ${howToGetIt(authority)}`
      : `This needs ${what}, which your account does not have. These roles have it: ${roles}. An operator grants them.`,
    { extra: { needs: permission, brand: brandId ?? null } },
  )
}

/** An agent has no role that its account got after it was added. */
const howToGetIt = ({ signIn }: Authority): string =>
  signIn?.kind === 'agent'
    ? `Log in again without that limit, or, if the role is newer than the agent, ask an operator to grant it with --with-agent ${signIn.name}.`
    : 'Log in again without that limit.'

/** How recent a sign-in must be for what makes another way in, or gives somebody more (B10). */
export const RECENT_SIGN_IN_MS = 15 * 60_000

/** For what only people do. Throws {@link RequestError} `person-required`. */
function requirePerson({ signIn }: Authority): void {
  if (signIn === undefined || signIn.kind === 'person') return
  const who = signIn.kind === 'agent' ? `the agent ${signIn.name}` : 'a login that does not say whose it is'
  throw new RequestError(
    'person-required',
    `Only a person who logged in with a browser may do this, and this is ${who}. Log in with a browser.`,
  )
}

/**
 * As {@link requirePerson}, who signed in a short while ago, in milliseconds `within`. Throws `recent-sign-in-required`
 * too.
 */
export function requireRecentPerson(authority: Authority, now: Date, within = RECENT_SIGN_IN_MS): void {
  requirePerson(authority)
  const { signIn } = authority
  if (signIn?.kind !== 'person' || now.getTime() - signIn.at.getTime() < within) return
  const seconds = within / 1000
  throw new RequestError(
    'recent-sign-in-required',
    `This needs a login of the last ${seconds / 60} minutes, and yours is of ${signIn.at.toISOString()}. Log in again, and repeat the request.`,
    { extra: { max_age: seconds } },
  )
}
