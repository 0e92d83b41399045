/** The permissions that a developer token can be limited to (specification, "Token attenuations"). */
export const PERMISSIONS = [
  'edit_account',
  'modify_account_key',
  'package_access',
  'package_manage',
  'package_metrics',
  'package_purchase',
  'package_push',
  'package_register',
  'package_release',
  'package_update',
  'package_upload',
  'package_upload_request',
  'store_admin',
  'store_review',
] as const

export type Permission = (typeof PERMISSIONS)[number]

/**
 * The permissions of publisher gateways (contract/publisher-login.md, decision 25), which are another
 * vocabulary. They are kept as requested, and never stand for one of {@link PERMISSIONS}.
 */
export const GATEWAY_PERMISSIONS = [
  'account-manage-keys',
  'account-manage-metadata',
  'account-register-package',
  'account-view-packages',
  'package-manage',
  'package-manage-acl',
  'package-manage-library',
  'package-manage-metadata',
  'package-manage-releases',
  'package-manage-revisions',
  'package-view',
  'package-view-acl',
  'package-view-metadata',
  'package-view-metrics',
  'package-view-releases',
  'package-view-revisions',
  'store-manage',
  'store-view',
] as const

export type GatewayPermission = (typeof GATEWAY_PERMISSIONS)[number]

/** The permissions that a token can be limited to. */
export type AnyPermission = Permission | GatewayPermission

const ALL: ReadonlySet<string> = new Set([...PERMISSIONS, ...GATEWAY_PERMISSIONS])

/** Whether it is a permission of either vocabulary. */
export const isPermission = (text: string): text is AnyPermission => ALL.has(text)
