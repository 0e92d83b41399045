/** The text of the pages about brands, their signing keys and trust roots. */
import { type Html, html } from '../../html.ts'
import { counted, number } from './common.ts'

export const brands = {
  title: 'Brands',
  label: 'Brands',
  models: 'All models',
  addModel: 'Add model…',
  trustRoots: 'Trust roots',
  hardware: 'Hardware identities',
  columns: { brand: 'Brand', models: 'Models', devices: 'Devices', signing: 'Signing' },
  noDevices: 'none counted',
  empty: 'No brands yet.',
  emptyScoped: 'No brands for your roles yet.',
  emptyWhat:
    'A brand is the account that serials are signed for. Add it on the host, because private keys are never sent over HTTP.',
  emptyScopedWhat:
    'A brand is the account that serials are signed for. Your roles are for brands that are not here. An operator can grant you others.',
  emptyCommand: 'On the host, with the files of the brand, or with a brand of your own for testing:',
  addedOn: 'To add a key, run on the host:',

  account: 'Account',
  accountId: 'Account id',
  added: 'Added',
  devicesOf: 'Devices by status',
  countedAt: 'Counted',
  statuses: {
    pending: 'pending',
    active: 'active',
    rejected: 'rejected',
    superseded: 'superseded',
    revoked: 'revoked',
  } as Readonly<Record<string, string>>,
  /** Rejected, superseded, revoked. */
  ended: 'others',
  quarantined: 'quarantined',
  withStatus: (devices: number, status: string): string => `${number(devices)} ${status}`,
  noDeviceYet: 'No devices counted.',
  modelsOf: 'Models',
  noModel: 'No models yet. Devices register as a model, so add one first.',
  moreModels: 'All models of this brand',
} as const

export const signingKeys = {
  title: 'Signing keys',
  label: 'Signing keys',
  name: (name: string | null): string => (name === null ? 'no name' : name),
  columns: {
    key: 'Key',
    brand: 'Brand',
    state: 'State',
    life: 'Remaining life',
    added: 'Added',
    actions: 'Actions',
  },
  signs: 'active',
  faulty: 'cannot sign',
  disabled: 'disabled',
  disabledOn: 'disabled',
  ends: 'expires',
  ended: 'expired',
  noEnd: 'never expires',
  lifeLabel: (percent: number): string => `${percent} % of its life remains`,
  none: 'no key',
  noneSigns: 'no active key',
  more: 'All signing keys of this brand',
  filterBrand: 'Brand',
  empty: 'No signing keys yet.',
  emptyWhat:
    'A signing key signs the serials of a brand. Add it on the host, because private keys are never sent over HTTP.',
  disable: 'Disable key…',
  notThere: 'No key of this brand can sign, so its devices are refused when they register.',
  endsSoon: (relative: Html): Html => html`The last active key of this brand expires ${relative}.`,
  advice:
    'Get an account-key assertion for a new key, and add both on the host; private keys are never sent over HTTP. The old key stays active while it is valid.',
  addCommand: 'ratafia signing-keys add next.pem --account-key next.account-key',

  disableTitle: 'Disable this signing key?',
  disableWhat:
    'From the next request, it signs no more serials on any node. Serials that it signed stay valid. Only the host can enable it again, with the private key:',
  disableNone: 'No model needs it, because each has another key.',
  disableStops: (models: number): string =>
    `${counted(models, 'model has', 'models have')} no other key. Without this one, their serials cannot be signed, and their devices are refused when they register:`,
  disableFirst: 'Add another key first:',
  disableAnyway: 'Disable key anyway…',
  disableDo: 'Disable key',
  disabledNotice: (key: string): string => `Signing key ${key} disabled.`,
  disabledBefore: 'This key is disabled already.',
  forceTitle: 'Disable it even though models need it?',
  andOthers: (count: number): string => `and ${counted(count, 'other', 'others')}`,
} as const

export const trustRoots = {
  title: 'Trust roots',
  label: 'Trust roots, one row for each key',
  what: 'These accounts can vouch for brands. The service signs a serial only if a chain of assertions leads from its key to one of them. You change them on the host:',
  commands: 'ratafia trust add, ratafia trust remove',
  columns: { account: 'Account', key: 'Key', origin: 'Origin', since: 'Since', until: 'Expires' },
  builtIn: 'built in',
  added: 'added',
  noEnd: 'never',
  empty: 'No trust roots yet.',
  all: (roots: number): string => `All ${number(roots)} trust roots`,
} as const
