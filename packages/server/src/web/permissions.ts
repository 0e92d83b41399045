/** The permissions of a developer token in plain words, for the confirmation page and the console. */
import { type AnyPermission, isPermission } from '@ratafia/api'

const WORDS: Readonly<Record<AnyPermission, string>> = {
  edit_account: 'Change your account details',
  modify_account_key: 'Add and remove the keys that sign in your name',
  package_access: 'View your packages, including private ones',
  package_manage: 'Manage your packages: upload, release, and edit their store pages',
  package_metrics: 'View the metrics of your packages',
  package_purchase: 'Buy packages',
  package_push: 'Upload new revisions of your packages and release them',
  package_register: 'Register new package names',
  package_release: 'Release revisions of your packages to channels',
  package_update: 'Edit the store pages of your packages',
  package_upload: 'Upload new revisions of your packages',
  package_upload_request: 'Ask to upload new revisions of your packages',
  store_admin: 'Administer your stores',
  store_review: 'Review what others upload to your stores',
  'account-manage-keys': 'Add and remove the keys that sign in your name',
  'account-manage-metadata': 'Change your account details',
  'account-register-package': 'Register new package names',
  'account-view-packages': 'View the list of your packages',
  'package-manage': 'Manage your packages: upload, release, and edit their store pages',
  'package-manage-acl': 'Choose who works on your packages',
  'package-manage-library': 'Publish libraries of your packages',
  'package-manage-metadata': 'Edit the store pages of your packages',
  'package-manage-releases': 'Release revisions of your packages to channels',
  'package-manage-revisions': 'Upload new revisions of your packages',
  'package-view': 'View your packages, including private ones',
  'package-view-acl': 'View who works on your packages',
  'package-view-metadata': 'View the store pages of your packages',
  'package-view-metrics': 'View the metrics of your packages',
  'package-view-releases': 'View the releases of your packages',
  'package-view-revisions': 'View the revisions of your packages',
  'store-manage': 'Administer your stores',
  'store-view': 'View your stores',
}

/** `undefined` for a name that is not a permission of this version. */
export const permissionInWords = (name: string): string | undefined =>
  isPermission(name) ? WORDS[name] : undefined
