/** The caveat that `ratafia tokens attenuate` adds to a management token: fewer roles or brands, or only reading. */
import { MANAGEMENT_PERMISSIONS, type ManagementPermission, ROLES } from '@ratafia/api/roles'
import { type BrandScope, covers, intersectScopes, scopeOfRoles } from '../../authority.ts'
import {
  formatLimits,
  MANAGE,
  type MintedRoles,
  parseLimits,
  parseMinted,
  type RoleLimits,
  scopeWithinAll,
} from '../../grants/manage-caveat.ts'
import { ServiceRefusal } from '../context.ts'
import { readRole } from '../option-values.ts'

export interface RoleOptions {
  readonly role?: readonly string[]
  readonly brand?: readonly string[]
  readonly readOnly?: boolean
}

/** Returns the limits, or undefined without any. Throws {@link UsageError}. */
export function wantedRoles({ role, brand, readOnly = false }: RoleOptions): RoleLimits | undefined {
  if (role === undefined && brand === undefined && !readOnly) return undefined
  return { roles: role?.map(readRole) ?? null, brands: brand ?? null, readOnly }
}

/** Returns the caveat for a token with these conditions. Throws {@link ServiceRefusal} if it would not narrow it. */
export function roleCaveat(wanted: RoleLimits, conditions: readonly string[]): string {
  const [minted, ...limits] = conditions
    .filter((condition) => condition.startsWith(`${MANAGE} `))
    .map((condition) => condition.slice(MANAGE.length + 1))
  if (minted === undefined) throw new TypeError('not a management token')
  const scopeOf = scopeLeft(parseMinted(minted), limits.map(parseLimits))
  for (const role of wanted.roles ?? []) {
    const isHeld = (permission: ManagementPermission) => !isNowhere(scopeOf(permission))
    if (!ROLES[role].permissions.every(isHeld)) throw outside('role', role)
  }
  for (const brand of wanted.brands ?? []) {
    if (!MANAGEMENT_PERMISSIONS.some((permission) => covers(scopeOf(permission), brand)))
      throw outside('brand', brand)
  }
  const caveat = formatLimits(wanted)
  // Throws if a service could not parse the caveat, because the token would then not work at all.
  parseLimits(caveat.slice(MANAGE.length + 1))
  return caveat
}

/** Returns the scope that the token still has for a permission. */
const scopeLeft =
  (minted: MintedRoles, limits: readonly RoleLimits[]) =>
  (permission: ManagementPermission): BrandScope =>
    intersectScopes(scopeOfRoles(minted.grants, permission, minted), scopeWithinAll(limits, permission))

const isNowhere = (scope: BrandScope): boolean => scope !== 'all' && scope.size === 0

const outside = (option: string, value: string) =>
  new ServiceRefusal(
    `--${option} ${JSON.stringify(value)} is outside the token's roles and brands. A holder can only narrow a token.`,
  )
