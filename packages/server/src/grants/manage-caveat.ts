/**
 * The condition `manage` of a management token (contract/administration.md, B3 and B4). In a root it contains
 * the requested limits, and in a token the grants that the account had at that moment. A holder can append
 * more, which only narrow it.
 *
 *   root, holder   manage {"roles":["device-approver"],"brands":["acme"],"read_only":true}   (each field is optional)
 *   token          manage {"grants":[["device-approver","acme"],["auditor",null]],"read_only":false}
 */
import { isRole, type ManagementPermission, ROLES, type Role, roleHas } from '@ratafia/api'
import { ConditionError } from '@ratafia/macaroon/conditions'
import { type BrandScope, type HeldRole, intersectScopes, scopeOfRoles } from '../authority.ts'
import { isObject, jsonIn } from '../foreign-json.ts'
import { isBrandId } from './grant.ts'

export const MANAGE = 'manage'

/** The maximum number of grants in one token, and of items in each list of a limit. */
export const MOST_GRANTS = 64

/** The requested limits, or those that a holder appended. A list that is null means no limit. */
export interface RoleLimits {
  readonly roles: readonly Role[] | null
  readonly brands: readonly string[] | null
  readonly readOnly: boolean
}

/** The grants that a token was issued with. */
export interface MintedRoles {
  readonly grants: readonly HeldRole[]
  readonly readOnly: boolean
}

export const formatLimits = ({ roles, brands, readOnly }: RoleLimits): string =>
  `${MANAGE} ${JSON.stringify({
    ...(roles === null ? {} : { roles }),
    ...(brands === null ? {} : { brands }),
    read_only: readOnly,
  })}`

export const formatMinted = ({ grants, readOnly }: MintedRoles): string =>
  `${MANAGE} ${JSON.stringify({
    grants: grants.map(({ role, brandId }) => [role, brandId ?? null]),
    read_only: readOnly,
  })}`

/** Returns the text that a session stores: the limits of its root, and those that its holder had appended. */
export const textOfAsked = (limits: readonly RoleLimits[]): string =>
  JSON.stringify(limits.map((limit) => formatLimits(limit)))

/** Returns the limits that the root was requested with; undefined for a string that is not from {@link textOfAsked}. */
export function rolesAskedFor(text: string): RoleLimits | undefined {
  const value = jsonIn(text)
  const [first]: readonly unknown[] = Array.isArray(value) ? value : []
  if (typeof first !== 'string' || !first.startsWith(`${MANAGE} `)) return undefined
  try {
    return parseLimits(first.slice(MANAGE.length + 1))
  } catch (error) {
    if (error instanceof ConditionError) return undefined
    throw error
  }
}

/** Parses limits. Throws `ConditionError` `malformed-condition`, even for an unknown key, which could be a limit. */
export function parseLimits(argument: string): RoleLimits {
  const { roles, brands, read_only: readOnly = false } = keysOf(argument, ['roles', 'brands', 'read_only'])
  return {
    roles: listOf('roles', roles, isRole),
    brands: listOf('brands', brands, isBrandId),
    readOnly: flag(readOnly),
  }
}

/** Parses the grants of a token. Throws `ConditionError` `malformed-condition`. */
export function parseMinted(argument: string): MintedRoles {
  const { grants, read_only: readOnly } = keysOf(argument, ['grants', 'read_only'])
  if (!Array.isArray(grants) || grants.length > MOST_GRANTS) throw malformed('"grants" is not a list')
  return { grants: grants.flatMap(heldRole), readOnly: flag(readOnly) }
}

/** Parses a grant. Leaves out roles that this release does not know, so they do not give any permission. */
function heldRole(grant: unknown): readonly HeldRole[] {
  const [role, brand, ...more]: readonly unknown[] = Array.isArray(grant) ? grant : []
  const isBrand = brand === null || (typeof brand === 'string' && isBrandId(brand))
  if (typeof role !== 'string' || !isBrand || more.length > 0)
    throw malformed('a grant is not a role and a brand')
  return isRole(role) ? [{ role, brandId: brand ?? undefined }] : []
}

/** Returns the scope that a limit leaves of a permission. */
function scopeWithin({ roles, brands, readOnly }: RoleLimits, permission: ManagementPermission): BrandScope {
  const held: readonly HeldRole[] = (roles ?? ['operator']).flatMap((role): readonly HeldRole[] =>
    brands === null ? [{ role, brandId: undefined }] : brands.map((brandId) => ({ role, brandId })),
  )
  return scopeOfRoles(held, permission, { readOnly })
}

/** Returns the scope that several limits together leave of a permission. */
export const scopeWithinAll = (limits: readonly RoleLimits[], permission: ManagementPermission): BrandScope =>
  limits.reduce<BrandScope>((scope, one) => intersectScopes(scope, scopeWithin(one, permission)), 'all')

/** Returns the grants for a new token: those that the limits leave of the account's grants. */
export function rolesToMint(held: readonly HeldRole[], limits: readonly RoleLimits[]): readonly HeldRole[] {
  const narrowed = limits.reduce<readonly HeldRole[]>((grants, limit) => narrow(grants, limit), held)
  const unique = new Map(narrowed.map((grant) => [`${grant.role} ${grant.brandId ?? ''}`, grant]))
  return [...unique.values()]
}

function narrow(held: readonly HeldRole[], { roles, brands }: RoleLimits): readonly HeldRole[] {
  return held.flatMap((grant) => {
    const asked = roles === null ? [grant.role] : roles.filter((role) => includes(grant.role, role))
    const where = brands === null ? [grant.brandId] : brandsWithin(grant, brands)
    return asked.flatMap((role) => where.map((brandId) => ({ role, brandId })))
  })
}

const brandsWithin = ({ brandId }: HeldRole, brands: readonly string[]): readonly string[] =>
  brandId === undefined ? brands : brands.filter((one) => one === brandId)

/** Whether a role has every permission of another, so that its holder can request a token with the other. */
const includes = (role: Role, other: Role): boolean =>
  role === other || ROLES[other].permissions.every((permission) => roleHas(role, permission))

function keysOf(argument: string, known: readonly string[]): Readonly<Record<string, unknown>> {
  const value = parsed(argument)
  if (!isObject(value)) throw malformed('it is not a JSON object')
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined) throw malformed(`it has an unknown key ${JSON.stringify(unknown.slice(0, 64))}`)
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('it is not JSON')
  }
}

function flag(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw malformed('"read_only" is neither true nor false')
}

function listOf<T extends string>(
  key: string,
  value: unknown,
  isItem: (text: string) => text is T,
): readonly T[] | null
function listOf(key: string, value: unknown, isItem: (text: string) => boolean): readonly string[] | null
function listOf(key: string, value: unknown, isItem: (text: string) => boolean): readonly string[] | null {
  if (value === undefined) return null
  const isList =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MOST_GRANTS &&
    value.every((item) => typeof item === 'string' && isItem(item))
  if (isList) return value
  throw malformed(`"${key}" is not a list of 1 to ${MOST_GRANTS} ${key}`)
}

const malformed = (why: string): ConditionError =>
  new ConditionError('malformed-condition', `Not the limits of a management token ("${MANAGE}"): ${why}`)
