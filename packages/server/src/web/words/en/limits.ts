/** The words for a token's limits. */
import { type Html, html } from '../../html.ts'

const SHORT: Readonly<Record<string, string>> = {
  edit_account: 'change the account',
  modify_account_key: 'change account keys',
  package_access: 'view',
  package_manage: 'manage',
  package_metrics: 'read metrics',
  package_purchase: 'buy',
  package_push: 'upload and release',
  package_register: 'register names',
  package_release: 'release',
  package_update: 'edit store pages',
  package_upload: 'upload',
  package_upload_request: 'ask to upload',
  store_admin: 'administer stores',
  store_review: 'review',
}

interface Sentence {
  readonly may: string
  /** The packages; null for all. */
  readonly packages: Html | null
  readonly channels: Html | null
  readonly stores: Html | null
}

export const limits = {
  may: 'Permissions',
  packages: 'Packages',
  channels: 'Channels',
  stores: 'Stores',
  everything: 'everything',
  everythingLong: 'everything that the account can do',
  allPackages: 'all packages of the account',
  allChannels: 'all',
  allStores: 'all stores of the account',
  doEverything: 'everything that your account can do',
  more: (number: number): string => `+${number}`,
  notRecorded: 'not recorded',
  notRecordedLong:
    'The limits were not recorded, because the list is too long. If you have the token, paste it into “What can this token do?”.',
  /** `view, upload`; a permission of another vocabulary stays unchanged. */
  shortPermission: (name: string): string => SHORT[name] ?? name,
  sentence: ({ may, packages, channels, stores }: Sentence): Html =>
    html`${may}${packages === null ? html`, for all your packages` : html`, for ${packages}`}${
      channels === null ? html`, in all channels` : html`, in ${channels}`
    }${stores !== null && html`, in the stores ${stores}`}`,
} as const
