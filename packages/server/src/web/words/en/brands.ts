/** Words of the pages of brands, their signing keys and trust roots. */
import { type Html, html } from '../../html.ts'
import { counted, number } from './common.ts'

export const brands = {
  title: 'Brands',
  label: 'Brands',
  models: 'All models',
  addModel: 'Add a model',
  trustRoots: 'Trust roots',
  hardware: 'Hardware identities',
  columns: { brand: 'Brand', models: 'Models', devices: 'Devices', signing: 'Signing' },
  noDevices: 'none counted',
  empty: 'There is no brand yet.',
  emptyScoped: 'You see no brand here.',
  emptyWhat:
    'A brand is the account that serials are signed for. It is added on the host, because its private key never travels by HTTP.',
  emptyScopedWhat:
    'A brand is the account that serials are signed for. Your roles are for brands that are not here. An operator grants others.',
  emptyCommand: 'On the host, with the files of the brand; or a brand of your own to try it:',
  addedOn: 'A key is added on the host:',

  account: 'Account',
  accountId: 'Account id',
  added: 'Added',
  devicesOf: 'Devices by state',
  countedAt: 'Counted',
  statuses: {
    pending: 'wait',
    active: 'active',
    rejected: 'rejected',
    superseded: 'superseded',
    revoked: 'revoked',
  } as Readonly<Record<string, string>>,
  /** Rejected, superseded, revoked. */
  ended: 'others',
  quarantined: 'in quarantine',
  withStatus: (devices: number, status: string): string => `${number(devices)} ${status}`,
  noDeviceYet: 'No device of this brand is counted so far.',
  modelsOf: 'Models',
  noModel: 'No model yet. Devices register as a model, so it comes first.',
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
    life: 'Life left',
    added: 'Added',
    actions: 'Actions',
  },
  signs: 'signs',
  faulty: 'cannot sign',
  disabled: 'disabled',
  disabledOn: 'disabled',
  ends: 'ends',
  ended: 'ended',
  noEnd: 'no end',
  lifeLabel: (percent: number): string => `${percent} % of its life is left`,
  none: 'no key',
  noneSigns: 'no key signs',
  more: 'All signing keys of this brand',
  filterBrand: 'Brand',
  empty: 'No brand has a signing key yet.',
  emptyWhat:
    'A signing key signs the serials of a brand. It is added on the host, because private keys never travel by HTTP.',
  disable: 'Disable…',
  notThere: 'No key of this brand can sign: its devices are refused when they register.',
  endsSoon: (relative: Html): Html => html`The last key that signs for this brand ends ${relative}.`,
  whatToDo:
    'Have an account-key assertion made for a new key, and add it on the host; private keys never travel by HTTP. The old key stays as long as it is valid.',
  addCommand: 'ratafia signing-keys add next.pem --account-key next.account-key',

  disableTitle: 'Disable this signing key?',
  disableWhat:
    'It signs no more serials, on any node, from the next request on. The serials that it signed stay valid. Only the host can enable it again, with the private key:',
  disableNone: 'No model needs it: each has another key.',
  disableStops: (models: number): string =>
    `${counted(models, 'model has', 'models have')} no other key. Without it, nothing signs their serials, and their devices are refused when they register:`,
  disableFirst: 'Add another key first:',
  disableAnyway: 'Disable it anyway…',
  disableDo: 'Disable it',
  disabledNotice: (key: string): string => `The signing key ${key} is disabled.`,
  disabledBefore: 'This key is disabled already.',
  forceTitle: 'Disable it even though models need it?',
  andOthers: (count: number): string => `and ${counted(count, 'other', 'others')}`,
} as const

export const trustRoots = {
  title: 'Trust roots',
  label: 'Trust roots, a row for each key',
  what: 'The accounts that may vouch for brands. The service signs a serial only where a chain of assertions leads from its key to one of them. They are changed on the host:',
  commands: 'ratafia trust add, ratafia trust remove',
  columns: { account: 'Account', key: 'Key', origin: 'Origin', since: 'Since', until: 'Until' },
  builtIn: 'built in',
  added: 'added',
  noEnd: 'no end',
  empty: 'There is no trust root.',
  all: (roots: number): string => `All ${number(roots)} trust roots`,
} as const
