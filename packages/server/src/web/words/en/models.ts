/** Words of the pages of models, their assertions and remodels. */
import { counted, number } from './common.ts'

export const models = {
  title: 'Models',
  label: 'Models',
  add: 'Add a model',
  filterBrand: 'Brand',
  columns: {
    model: 'Model',
    registration: 'Who may register',
    warnings: 'Warnings',
    devices: 'Devices',
    added: 'Added',
  },
  registrations: { auto: 'everybody', 'allow-list': 'allow-list', approval: 'approval' },
  warnings: (count: number): string => counted(count, 'warning', 'warnings'),
  noWarnings: 'none',
  empty: 'There is no model yet.',
  emptyWhat:
    'A model is what a device says it is. Its assertion is signed by the brand; its policy says who may register. Without it, no device gets a serial.',
  emptyStep: 'Add the first model',
  emptyCommand: 'Or on the command line:',

  // One model
  changePolicy: 'Change the policy',
  policy: 'Policy',
  cannotSign: 'Devices of this model cannot get a serial now.',
  says: 'What the assertion says',
  newer: 'Newer revision…',
  fields: {
    displayName: 'Display name',
    architecture: 'Architecture',
    base: 'Base',
    grade: 'Grade',
    system: 'System',
    revision: 'Revision',
    signedAt: 'Signed',
    store: 'Store',
    serialAuthority: 'Who else may sign serials',
    signer: 'Signs serials now',
    added: 'Added here',
  },
  classic: 'classic',
  core: 'Ubuntu Core',
  nobody: 'nobody',
  noStore: 'none named',
  notSaid: 'not given',
  withKey: 'with the key',
  noSigner: 'no key can',
  devices: 'Devices',
  allDevices: 'All devices of this model',
  noDevices: 'No device of this model is counted so far.',
  apiKeys: 'API keys',
  apiKeysAll: 'All API keys',
  allowList: 'Allow-list',
  allowListOpen: 'The list',
  remodels: 'Remodels',
  remodelsAll: 'All remodels',
  remove: 'Remove this model…',
  removeHint: 'For a model that was added by mistake.',

  // A new one
  newTitle: 'Add a model',
  newWhat:
    'Its brand must be here, its chain of assertions must lead to a trust root, and a key must be able to sign its serials. Nothing is stored before you have seen what it says.',
  assertion: 'Model assertion',
  assertionHint:
    'The whole text. If a key signed it that is not here yet, put its account-key assertion after it, with an empty line between them.',
  look: 'Look at it',
  checkTitle: (name: string): string => `Add ${name}?`,
  checkWhat: 'Nothing is stored yet. This is what the model will be:',
  checkDo: 'Add it',
  checkBack: 'Change something',
  addedNotice: (name: string): string => `The model ${name} is added.`,

  // A newer revision
  newerTitle: 'Newer revision of the assertion',
  newerWhat: (revision: number): string =>
    `Revision ${number(revision)} is here. A newer one takes its place; the policy, API keys and allow-list stay.`,
  newerCheck: (before: number, after: number): string =>
    `Revision ${number(after)} will take the place of revision ${number(before)}. Nothing is stored yet.`,
  newerSame: 'It is the revision that is here already.',
  newerDo: 'Replace it',
  newerNotice: (revision: number): string => `Revision ${number(revision)} is stored.`,

  // Removal
  removeTitle: (name: string): string => `Remove ${name}?`,
  removeWhat: 'Its assertion and its policy are removed. This cannot be undone.',
  removeWith: (keys: number, remodels: number): string =>
    `With it go ${counted(keys, 'API key', 'API keys')} and ${counted(remodels, 'remodel', 'remodels')}.`,
  removeDo: 'Remove the model',
  removedNotice: (name: string): string => `The model ${name} is removed.`,
  cannotRemove: 'It cannot be removed',
  seeDevices: 'Look at its devices',
  seePolicy: 'Change who may register',
  seeAllowList: 'Empty the allow-list',
} as const

export const remodels = {
  title: 'Remodels',
  label: 'Remodels',
  what: 'Models that devices of this model may become. They keep their key and get a serial of the other model.',
  columns: { to: 'May become', allowed: 'Allowed', actions: 'Actions' },
  empty: 'Devices of this model may become no other.',
  emptyWhat: 'A remodel lets a device that is in use become another model, also of another brand.',
  emptyCommand: 'Or on the command line:',
  addTitle: 'Allow another',
  to: 'Model that they may become',
  toHint: 'As BRAND/MODEL. You have to manage both brands: the devices get serials of the other one.',
  add: 'Allow it',
  addedNotice: (to: string): string => `Devices may become ${to}.`,
  remove: 'Remove…',
  removeTitle: 'Stop allowing this remodel?',
  removeWhat: (from: string, to: string): string =>
    `Devices of ${from} may no longer become ${to}. Those that did stay what they are. You can allow it again.`,
  removeDo: 'Stop allowing it',
  removedNotice: (to: string): string => `Devices may no longer become ${to}.`,
} as const
