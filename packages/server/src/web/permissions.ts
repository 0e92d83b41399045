/** The permissions of a developer token in plain words, for the confirmation page. */
import { isPermission, type Permission } from '@ratafia/api'

const WORDS: Readonly<Record<Permission, string>> = {
  edit_account: 'Change your account details',
  modify_account_key: 'Add and remove the keys that sign in your name',
  package_access: 'See your packages, including private ones',
  package_manage: 'Manage your packages: upload, release, and edit their store pages',
  package_metrics: 'See the metrics of your packages',
  package_purchase: 'Buy packages',
  package_push: 'Upload new revisions of your packages and release them',
  package_register: 'Register new package names',
  package_release: 'Release revisions of your packages to channels',
  package_update: 'Edit the store pages of your packages',
  package_upload: 'Upload new revisions of your packages',
  package_upload_request: 'Ask to upload new revisions of your packages',
  store_admin: 'Administer your stores',
  store_review: 'Review what others upload to your stores',
}

/** `undefined` for a name that is not a permission of this version. */
export const permissionInWords = (name: string): string | undefined =>
  isPermission(name) ? WORDS[name] : undefined
