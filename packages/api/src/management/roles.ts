/** Permissions of the management API, and the roles that have them (decisions B1 and B2). */

/** The permissions that operations of the management API require. Developer tokens have other permissions. */
export const MANAGEMENT_PERMISSIONS = [
  'devices:read',
  'devices:decide',
  'devices:manage',
  'models:read',
  'models:manage',
  'accounts:read',
  'accounts:manage',
  'tokens:read',
  'tokens:revoke',
  'audit:read',
  'roles:read',
  'roles:manage',
  'status:read',
] as const
export type ManagementPermission = (typeof MANAGEMENT_PERMISSIONS)[number]

interface RoleFacts {
  /** Whether it can be granted for one brand, or only for the whole service. */
  readonly scope: 'brand' | 'service'
  /** One line for help and documentation about its purpose. */
  readonly meaning: string
  readonly permissions: readonly ManagementPermission[]
}

const VIEWER = ['devices:read', 'models:read'] as const

/** The roles, narrowest first. A published role is never renamed. An account can have several, which add up. */
export const ROLES = {
  viewer: { scope: 'brand', meaning: 'sees devices and models', permissions: VIEWER },
  'device-approver': {
    scope: 'brand',
    meaning: 'sees devices and models, and approves or rejects pending devices',
    permissions: [...VIEWER, 'devices:decide'],
  },
  'brand-manager': {
    scope: 'brand',
    meaning: 'also revokes and releases devices, and manages models, API keys and signing keys',
    permissions: [...VIEWER, 'devices:decide', 'devices:manage', 'models:manage'],
  },
  'account-manager': {
    scope: 'service',
    meaning: 'manages accounts that have no roles beyond its own, and revokes tokens',
    permissions: ['accounts:read', 'accounts:manage', 'tokens:read', 'tokens:revoke'],
  },
  auditor: {
    scope: 'service',
    meaning: 'sees everything, including the audit log, and changes nothing',
    permissions: MANAGEMENT_PERMISSIONS.filter((name) => name.endsWith(':read')),
  },
  operator: {
    scope: 'service',
    meaning: 'does everything that the management API can do, and grants roles',
    permissions: MANAGEMENT_PERMISSIONS,
  },
} as const satisfies Record<string, RoleFacts>

export type Role = keyof typeof ROLES
export const ROLE_NAMES = Object.keys(ROLES) as readonly Role[]

export const isRole = (text: string): text is Role => Object.hasOwn(ROLES, text)

const PERMISSIONS_OF: ReadonlyMap<Role, ReadonlySet<ManagementPermission>> = new Map(
  ROLE_NAMES.map((role) => [role, new Set(ROLES[role].permissions)]),
)

export const roleHas = (role: Role, permission: ManagementPermission): boolean =>
  PERMISSIONS_OF.get(role)?.has(permission) === true

/** Returns the roles that have the permission, narrowest first. */
export const rolesWith = (permission: ManagementPermission): readonly Role[] =>
  ROLE_NAMES.filter((role) => roleHas(role, permission))

/** Whether the permission only reads. A read-only token has no others. */
export const isReading = (permission: ManagementPermission): boolean => permission.endsWith(':read')
