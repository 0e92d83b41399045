/** The text of the allow-list, hardware identity and API key pages. */
import { type Html, html } from '../../html.ts'
import { counted, number } from './common.ts'

export const allowList = {
  title: 'Allow-list',
  label: 'Entries of the allow-list',
  what: 'An entry with only a serial number lets any device key use it; one with only a key lets that key use any serial number; one with both allows only that pair.',
  notUsed: 'The policy does not use this list: another setting decides which devices can register.',
  columns: { serial: 'Serial number', key: 'Device key' },
  any: 'any',
  entry: (serial: string | null, key: string | null): string => serial ?? key ?? '',
  count: (entries: number, more: boolean): string =>
    more ? `more than ${counted(entries, 'entry', 'entries')}` : counted(entries, 'entry', 'entries'),
  empty: 'No entries yet.',
  emptyWhat:
    'The list names the devices that can register. With the policy “Allow-list” and an empty list, none can.',
  emptyStep: 'Import entries…',
  emptyCommand: 'Or on the command line:',
  import: 'Import entries…',
  removeSome: 'Remove by serial number or key…',
  removeChosen: 'Remove selected…',
  removeAll: 'Remove all entries…',

  removeTitle: 'Removal by serial number or key',
  removeWhat: 'Devices that have a serial keep it. Enter a serial number, the id of a key, or both.',
  serial: 'Serial number',
  serialHint: 'Alone, it removes all its entries, with any key.',
  key: 'Id of the device key',
  keyHint: '64 characters. Alone, it removes its entry without a serial number.',
  look: 'Preview removal',
  checkTitle: (entries: number): string => `Remove ${counted(entries, 'entry', 'entries')}?`,
  checkWhat:
    'These devices cannot register any more. Devices that have a serial keep it. Nothing is removed yet.',
  checkMore: (count: number): string => `and ${number(count)} more`,
  checkDo: 'Remove entries',
  noneMatches: 'No entries match, so there is nothing to remove.',
  chooseFirst: 'Select entries first, or enter a serial number or a key.',
  changed: (expected: number, found: number): string =>
    `${counted(found, 'entry matches', 'entries match')} now instead of ${number(expected)}. Check them again; nothing was removed.`,
  unreadable: 'An entry cannot be read. Select it again in the list.',
  removedNotice: (entries: number): string =>
    `${counted(entries, 'entry', 'entries')} removed from the allow-list.`,

  allTitle: 'Remove all entries?',
  allWhat: (entries: number): string =>
    `All ${counted(entries, 'entry', 'entries')} are removed. Devices that have a serial keep it. No other device can register while the policy requires the list. This cannot be undone.`,
  allDo: 'Remove all entries',

  importTitle: 'Allow-list import',
  importWhat: 'The whole file is imported, or nothing. Entries that are on the list already stay unchanged.',
  format: 'Format',
  formats: { csv: 'CSV with a header line', json: 'JSON list', ndjson: 'JSON lines' },
  file: 'File',
  fileHint: 'Columns serial, device_key_id, or both; up to 4 MB. For a larger file, use the command:',
  rows: 'Or paste rows',
  rowsHint: 'CSV with its header line.',
  importDo: 'Import',
  importTry: 'Validate only',
  nothing: 'Choose a file, or paste rows.',
  notBoth: 'You chose a file and also pasted rows. Send only one of them.',
  queued: 'Import queued.',
  queuedTry: 'Validation queued. Nothing is imported.',
} as const

export const hardware = {
  title: 'Hardware identities',
  label: 'Hardware identities',
  what: 'These keys are built into boards. A model uses them if its policy requires a hardware identity. They do not belong to a brand.',
  columns: {
    name: 'Board',
    id: 'Hardware id',
    maker: 'Manufacturer',
    issuer: 'Issuer',
    key: 'Key digest',
  },
  empty: 'No hardware identities yet.',
  emptyWhat: 'Import a hardware-identity assertion to add one.',
  emptyStep: 'Import hardware identities…',
  emptyCommand: 'Or on the command line:',
  import: 'Import hardware identities…',
  importTitle: 'Hardware identity import',
  importWhat:
    'Give hardware-identity assertions whose chain leads to a trust root, separated by an empty line, together with the account and account-key assertions that they need.',
  file: 'File',
  fileHint: 'Up to 4 MB. For more, use the command:',
  rows: 'Or paste assertions',
  rowsHint: 'Separate them with an empty line.',
  nothing: 'Choose a file, or paste assertions.',
  notBoth: 'You chose a file and also pasted assertions. Send only one of them.',
  importDo: 'Import',
  importTry: 'Validate only',
  queued: 'Import queued.',
  queuedTry: 'Validation queued. Nothing is imported.',
} as const

export const apiKeys = {
  title: 'API keys',
  label: 'API keys',
  make: 'Create API key…',
  what: 'A device sends its API key when it registers. The key is in the gadget of the device.',
  columns: {
    key: 'Key',
    state: 'State',
    uses: 'Uses',
    used: 'Last used',
    ends: 'Expires',
    actions: 'Actions',
  },
  active: 'active',
  endsSoon: 'expires soon',
  expired: 'expired',
  usedUp: 'used up',
  revoked: 'revoked',
  uses: (uses: number, limit: number | null): string =>
    limit === null ? number(uses) : `${number(uses)} of ${number(limit)}`,
  noEnd: 'never',
  none: 'No API keys yet.',
  noneOpen:
    'Devices of this model do not need a key. Once you create the first key, a device without one is refused.',
  emptyWhat:
    'An API key is a secret in the gadget: only devices that have it can register. Once a model has had a key, a device without one is refused, even when all keys are revoked.',
  emptyStep: 'Create the first API key…',
  emptyCommand: 'Or on the command line:',
  count: (keys: number, more: boolean): string =>
    more ? `more than ${counted(keys, 'key', 'keys')}` : counted(keys, 'key', 'keys'),

  newTitle: 'New API key',
  newFirst:
    'This is the first key of the model. Once you create it, devices without a key are refused. Be ready to give them a gadget that sends it.',
  newLabel: 'Label',
  newLabelHint: 'For example “line 1”. The audit log shows it for each device that registers with the key.',
  newEnds: 'Expires',
  newEndsHint: 'Expires at 00:00 UTC on this day. Leave it empty for a key without expiry.',
  newUses: 'Maximum uses',
  newUsesHint: 'How many devices can register with it. Leave it empty for any number.',
  newDo: 'Create API key',
  notADay: 'Enter a day as YEAR-MONTH-DAY, or leave it empty.',
  notANumber: 'Enter a whole number, or leave it empty.',

  shownTitle: (label: string): string => `API key “${label}”`,
  copyNow: 'Copy it now. You can see it only here, and for ten minutes if you reload.',
  copyWhy:
    'Only its digest is stored, so it cannot be shown again. If you lose it, revoke it and create another.',
  gadget: 'Hook of the gadget',
  gadgetNote: (url: Html): Html =>
    html`Put it in ${url}. One object contains all headers, so add the key to any others that you send.`,
  gadgetHook: 'hooks/prepare-device',
  header: 'HTTP header',
  headerNote: 'Use this for your own programs that register devices.',
  demo: 'Demo device',
  demoCommand: (key: string): string => `echo ${key} | ratafia demo device --brand DIRECTORY --api-key-stdin`,
  demoNote: 'Pass the directory of `ratafia brands create`.',
  itself: 'Key',
  haveIt: "I've saved it",

  revoke: 'Revoke API key…',
  revokeTitle: 'Revoke this API key?',
  revokeWhat:
    'From the next request, no device can register with it on any node. Devices that have registered with it stay registered. This cannot be undone.',
  revokeStill: 'The model still requires a key, even if this was the last one.',
  revokeUsed: (uses: number): string => `It has been used ${counted(uses, 'time', 'times')}.`,
  revokeDo: 'Revoke API key',
  revokedNotice: (label: string): string => `API key “${label}” revoked.`,
  revokedBefore: 'This key is revoked already.',
} as const
