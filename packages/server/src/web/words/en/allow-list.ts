/** Words of the pages of allow-lists and hardware identities. */
import { counted, number } from './common.ts'

export const allowList = {
  title: 'Allow-list',
  label: 'Entries of the allow-list',
  what: 'An entry with only a serial number allows it to any device key; one with only a key allows that key any serial number; one with both allows just that pair.',
  notUsed: 'The policy does not look at this list: something else decides who may register.',
  columns: { serial: 'Serial number', key: 'Device key' },
  any: 'any',
  entry: (serial: string | null, key: string | null): string => serial ?? key ?? '',
  count: (entries: number, more: boolean): string =>
    more ? `more than ${counted(entries, 'entry', 'entries')}` : counted(entries, 'entry', 'entries'),
  empty: 'The list is empty.',
  emptyWhat:
    'It names the devices that may register. With the policy “allow-list” and an empty list, none may.',
  emptyStep: 'Import a list',
  emptyCommand: 'Or on the command line:',
  import: 'Import',
  removeSome: 'Remove by serial number or key',
  removeChosen: 'Remove the chosen…',
  removeAll: 'Remove all…',

  removeTitle: 'Remove from the allow-list',
  removeWhat: 'Devices that have a serial keep it. Give a serial number, the id of a key, or both.',
  serial: 'Serial number',
  serialHint: 'Alone: all its entries, whatever their key.',
  key: 'Id of the device key',
  keyHint: '64 characters. Alone: its entry without a serial number.',
  look: 'See what would be removed',
  checkTitle: (entries: number): string => `Remove ${counted(entries, 'entry', 'entries')}?`,
  checkWhat: 'They may not register any more. Devices that have a serial keep it. Nothing is removed yet.',
  checkMore: (count: number): string => `and ${number(count)} more`,
  checkDo: 'Remove them',
  noneMatches: 'Nothing on the list matches, so there is nothing to remove.',
  chooseFirst: 'Choose entries first, or give a serial number or a key.',
  changed: (expected: number, found: number): string =>
    `${counted(found, 'entry matches', 'entries match')} now, and not ${number(expected)}. Look at it again; nothing was removed.`,
  unreadable: 'An entry cannot be read. Choose it again in the list.',
  removedNotice: (entries: number): string =>
    `${counted(entries, 'entry is', 'entries are')} removed from the allow-list.`,

  allTitle: 'Empty the allow-list?',
  allWhat: (entries: number): string =>
    `All ${counted(entries, 'entry', 'entries')} are removed. Devices that have a serial keep it; no other may register while the policy asks for the list. This cannot be undone.`,
  allDo: 'Empty the list',

  importTitle: 'Import an allow-list',
  importWhat:
    'All or nothing: a file with a fault changes nothing. Entries that are on the list already stay as they are.',
  format: 'Format',
  formats: { csv: 'CSV with a header line', json: 'JSON list', ndjson: 'JSON, one object per line' },
  file: 'File',
  fileHint: 'Columns serial, device_key_id, or both; up to 4 MB. For a larger one, use the command:',
  rows: 'Or its rows',
  rowsHint: 'Paste them: CSV with its header line.',
  importDo: 'Import it',
  importTry: 'Only check it',
  nothing: 'Choose a file, or paste rows.',
  notBoth: 'You chose a file and pasted rows, too. Send only one of them.',
  queued: 'The import is queued.',
  queuedTry: 'The file is being checked. Nothing is imported.',
} as const

export const hardware = {
  title: 'Hardware identities',
  label: 'Hardware identities',
  what: 'Keys that are built into boards. Models use them where their policy asks for a hardware identity; they belong to no brand.',
  columns: {
    name: 'Board',
    id: 'Hardware id',
    maker: 'Manufacturer',
    issuer: 'Vouched for by',
    key: 'Digest of the key',
  },
  empty: 'No hardware identity is imported.',
  emptyWhat:
    'A hardware-identity assertion says which key is built into which board. Models ask for it where their policy says so.',
  emptyStep: 'Import the first ones',
  emptyCommand: 'Or on the command line:',
  import: 'Import',
  importTitle: 'Import hardware identities',
  importWhat:
    'Give hardware-identity assertions whose chain leads to a trust root, with an empty line between them, and the account and account-key assertions that they need.',
  file: 'File',
  fileHint: 'Up to 4 MB. For more, use the command:',
  rows: 'Or the assertions',
  rowsHint: 'Paste them.',
  nothing: 'Choose a file, or paste assertions.',
  notBoth: 'You chose a file and pasted assertions, too. Send only one of them.',
  importDo: 'Import them',
  importTry: 'Only check them',
  queued: 'The import is queued.',
  queuedTry: 'The assertions are being checked. Nothing is imported.',
} as const
