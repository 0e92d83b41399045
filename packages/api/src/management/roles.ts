/** Who may administer what: permissions of the management API, and the roles that have them (decisions B1 and B2). */

/** Each operation of the management API needs one. None of them is a permission of developer tokens. */
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
  /** One line for help and documentation: what it is for. */
  readonly meaning: string
  readonly permissions: readonly ManagementPermission[]
}

const VIEWER = ['devices:read', 'models:read'] as const

/** From the narrowest to the widest. A published role is never renamed; an account may have several, which add up. */
export const ROLES = {
  viewer: { scope: 'brand', meaning: 'sees devices and models', permissions: VIEWER },
  'device-approver': {
    scope: 'brand',
    meaning: 'sees them, and approves or rejects devices that wait',
    permissions: [...VIEWER, 'devices:decide'],
  },
  'brand-manager': {
    scope: 'brand',
    meaning: 'also revokes and releases devices, and manages models, API keys and signing keys',
    permissions: [...VIEWER, 'devices:decide', 'devices:manage', 'models:manage'],
  },
  'account-manager': {
    scope: 'service',
    meaning: 'manages accounts that have no more roles than they do, and revokes tokens',
    permissions: ['accounts:read', 'accounts:manage', 'tokens:read', 'tokens:revoke'],
  },
  auditor: {
    scope: 'service',
    meaning: 'sees everything, the audit log too, and changes nothing',
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

/** The roles that have the permission, from the narrowest. */
export const rolesWith = (permission: ManagementPermission): readonly Role[] =>
  ROLE_NAMES.filter((role) => roleHas(role, permission))

/** The operations that only read. A token limited to reading has no others. */
export const isReading = (permission: ManagementPermission): boolean => permission.endsWith(':read')
