/** What `ratafia tokens attenuate` adds to a management token: fewer roles, fewer brands, or reading alone. */
import {
  isRole,
  MANAGEMENT_PERMISSIONS,
  type ManagementPermission,
  ROLE_NAMES,
  ROLES,
  type Role,
} from '@ratafia/api/roles'
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
import { ServiceRefusal, UsageError } from '../context.ts'

export interface RoleOptions {
  readonly role?: readonly string[]
  readonly brand?: readonly string[]
  readonly readOnly?: boolean
}

/** Undefined without any. Throws {@link UsageError}. */
export function wantedRoles({ role, brand, readOnly = false }: RoleOptions): RoleLimits | undefined {
  if (role === undefined && brand === undefined && !readOnly) return undefined
  return { roles: role?.map(roleIn) ?? null, brands: brand ?? null, readOnly }
}

/** `condition`: of the caveats that the token has. Throws {@link ServiceRefusal} for what would not narrow it. */
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
  // Throws for what a service would not read: the token would then open nothing.
  parseLimits(caveat.slice(MANAGE.length + 1))
  return caveat
}

/** What is left of a permission, as far as the token says. */
const scopeLeft =
  (minted: MintedRoles, limits: readonly RoleLimits[]) =>
  (permission: ManagementPermission): BrandScope =>
    intersectScopes(scopeOfRoles(minted.grants, permission, minted), scopeWithinAll(limits, permission))

const isNowhere = (scope: BrandScope): boolean => scope !== 'all' && scope.size === 0

function roleIn(text: string): Role {
  if (isRole(text)) return text
  throw new UsageError(`--role ${text} is not a role. The roles are ${ROLE_NAMES.join(', ')}.`)
}

const outside = (option: string, value: string) =>
  new ServiceRefusal(
    `--${option} ${JSON.stringify(value)} is outside of what the token was made with. Nothing that its holder adds makes it wider.`,
  )
