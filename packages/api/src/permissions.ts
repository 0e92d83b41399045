/** The permissions a developer token can be limited to (specification, "Token attenuations"). */
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
export const isPermission = (text: string): text is Permission =>
  (PERMISSIONS as readonly string[]).includes(text)
