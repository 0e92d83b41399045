/** The text of the pages about models, their assertions and remodels. */
import { counted, number } from './common.ts'

export const models = {
  title: 'Models',
  label: 'Models',
  add: 'Add model…',
  filterBrand: 'Brand',
  columns: {
    model: 'Model',
    registration: 'Registration',
    warnings: 'Warnings',
    devices: 'Devices',
    added: 'Added',
  },
  registrations: { auto: 'automatic', 'allow-list': 'allow-list', approval: 'approval' },
  warnings: (count: number): string => counted(count, 'warning', 'warnings'),
  noWarnings: 'none',
  empty: 'No models yet.',
  emptyWhat:
    'A model is a kind of device. The brand signs its assertion, and its policy decides which devices can register. Without it, no device gets a serial.',
  emptyStep: 'Add the first model…',
  emptyCommand: 'Or on the command line:',

  // One model
  changePolicy: 'Change policy…',
  policy: 'Policy',
  cannotSign: 'Devices of this model cannot get a serial now.',
  says: 'Assertion',
  newer: 'Replace assertion…',
  fields: {
    displayName: 'Display name',
    architecture: 'Architecture',
    base: 'Base',
    grade: 'Grade',
    system: 'System',
    revision: 'Revision',
    signedAt: 'Signed',
    store: 'Store',
    serialAuthority: 'Other serial authorities',
    signer: 'Current signer',
    added: 'Added here',
  },
  classic: 'classic',
  core: 'Ubuntu Core',
  none: 'none',
  noStore: 'none',
  notSaid: 'not given',
  withKey: 'with key',
  noSigner: 'no active key',
  devices: 'Devices',
  allDevices: 'All devices of this model',
  noDevices: 'No devices counted.',
  apiKeys: 'API keys',
  apiKeysAll: 'All API keys',
  allowList: 'Allow-list',
  allowListOpen: 'All entries',
  remodels: 'Remodels',
  remodelsAll: 'All remodels',
  remove: 'Remove model…',
  removeHint: 'Use this for a model that was added by mistake.',

  // A new one
  newTitle: 'New model',
  newWhat:
    "The model's brand must be registered, its chain of assertions must lead to a trust root, and a key must be able to sign its serials. You see a preview before anything is stored.",
  assertion: 'Model assertion',
  assertionHint:
    'The whole text. If the key that signed it is not stored yet, add its account-key assertion below, after an empty line.',
  look: 'Preview',
  checkTitle: (name: string): string => `Add ${name}?`,
  checkWhat: 'Nothing is stored yet. This is the model that you would add:',
  checkDo: 'Add model',
  checkBack: 'Change input',
  addedNotice: (name: string): string => `Model ${name} added.`,

  // A newer revision
  newerTitle: 'Replace assertion',
  newerWhat: (revision: number): string =>
    `The current revision is ${number(revision)}. A newer one replaces it; the policy, API keys and allow-list stay.`,
  newerCheck: (before: number, after: number): string =>
    `Revision ${number(after)} will replace revision ${number(before)}. Nothing is stored yet.`,
  newerSame: 'This revision is stored already.',
  newerDo: 'Replace assertion',
  newerNotice: (revision: number): string => `Revision ${number(revision)} stored.`,

  // Removal
  removeTitle: (name: string): string => `Remove ${name}?`,
  removeWhat: 'Its assertion and its policy are removed. This cannot be undone.',
  removeWith: (keys: number, remodels: number): string =>
    `This also removes ${counted(keys, 'API key', 'API keys')} and ${counted(remodels, 'remodel', 'remodels')}.`,
  removeDo: 'Remove model',
  removedNotice: (name: string): string => `Model ${name} removed.`,
  cannotRemove: 'The model cannot be removed',
  seeDevices: 'Show its devices',
  seePolicy: 'Change policy…',
  seeAllowList: 'Remove all allow-list entries…',
} as const

export const remodels = {
  title: 'Remodels',
  label: 'Remodels',
  what: 'These are the models that devices of this model can become. A device keeps its key and gets a serial of the other model.',
  becomes: 'Devices can become:',
  columns: { to: 'Target model', allowed: 'Allowed', actions: 'Actions' },
  empty: 'Remodelling is not allowed.',
  emptyWhat: 'A remodel turns a device that is in use into a different model, even one of another brand.',
  emptyCommand: 'Or on the command line:',
  addTitle: 'New remodel',
  to: 'Target model',
  toHint: 'As BRAND/MODEL. You have to manage both brands, because the devices get serials of the other one.',
  add: 'Allow remodel',
  addedNotice: (to: string): string => `Remodel to ${to} allowed.`,
  remove: 'Remove remodel…',
  removeTitle: 'Remove this remodel?',
  removeWhat: (from: string, to: string): string =>
    `Devices of ${from} can no longer become ${to}. Devices that did keep their new model. You can allow it again.`,
  removeDo: 'Remove remodel',
  removedNotice: (to: string): string => `Remodel to ${to} removed.`,
} as const

interface Setting {
  readonly label: string
  /** A sentence about what it decides. */
  readonly what: string
  /** The name and the meaning of each value. */
  readonly choices: Readonly<Record<string, readonly [name: string, meaning: string]>>
}

export const policy = {
  title: 'Policy',
  what: 'A change applies from the next registration. Devices that have a serial keep it.',
  settings: {
    registration: {
      label: 'Registration',
      what: 'This decides which devices get a serial.',
      choices: {
        auto: ['Automatic', 'any device that has the model assertion, and an API key if the model has one'],
        'allow-list': ['Allow-list', 'only devices whose serial number or key is on the list'],
        approval: ['Approval', 'each device is pending until you approve it'],
      },
    },
    proposed_serial: {
      label: 'Proposed serial number',
      what: 'This decides whether a device chooses its serial number.',
      choices: {
        required: ['Required', 'a device that does not propose one is refused'],
        optional: ['Optional', 'the device gets the one that it proposes, or a generated one'],
        ignored: ['Ignored', 'serial numbers are always generated'],
      },
    },
    taken_serial: {
      label: 'Taken serial number',
      what: 'This applies when a new device key requests the serial number of another device.',
      choices: {
        refuse: ['Refuse', 'the new key is refused, and the first device keeps its serial'],
        reissue: ['Reissue', 'the new key gets it, and the first device is superseded'],
      },
    },
    hardware_identity: {
      label: 'Hardware identity',
      what: 'This decides whether a device has to prove that it has the key that is built into its board.',
      choices: {
        required: ['Required', 'only boards whose hardware identity is imported'],
        ignored: ['Ignored', 'no proof is required'],
      },
    },
    clones: {
      label: 'Detected clones',
      what: 'This applies when two devices use the same device key.',
      choices: {
        quarantine: ['Quarantine', 'the device cannot open a session until you decide'],
        record: ['Record only', 'the device keeps working'],
      },
    },
  } as const satisfies Readonly<Record<string, Setting>>,
  serials: 'Generated serial numbers',
  serialsHint:
    'Either uuid, or a template with one {number}: AC-{number:8} gives AC-00000001, AC-00000002 and so on.',
  choice: (name: string, meaning: string): string => `${name}: ${meaning}`,
  now: (value: string): string => `Currently: ${value}.`,
  save: 'Save policy',
  chooseRegistration: 'Choose which devices can register.',
  readFirst: 'Read the risks of this policy. Tick each one that you accept, or choose another setting.',
  accept: 'Risks of this policy',
  acceptHint: 'Tick the risks that you have read and accept.',
  saved: 'Policy saved. It applies from the next registration.',
  unchanged: 'The policy already had these settings, so nothing was changed.',
} as const
