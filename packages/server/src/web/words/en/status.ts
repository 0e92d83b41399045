/** The text of the status, package directory and audit log pages. */
import { type Html, html } from '../../html.ts'
import { counted, number } from './common.ts'

const PARTS: Readonly<Record<string, string>> = {
  service: 'Service',
  nodes: 'Nodes',
  jobs: 'Periodic work',
  bulk_jobs: 'Jobs',
  database: 'Database',
  schema: 'Database schema',
  clock: 'Clock',
  changes: 'Change notifications',
  secret_key: 'Secret key',
  keys: 'Root keys and key pairs',
  signing_keys: 'Signing keys of brands',
  issuers: 'Issuers of ID tokens',
  certificates: 'Certificates',
  audit_log: 'Audit log',
  backup: 'Backup',
  sign_in_links: 'Sign-in links',
  reminders: 'Reminders and mail',
}

export const status = {
  title: 'Status',
  release: (release: string): string => `Release ${release}`,
  attentionCount: (count: number): string => counted(count, 'part needs attention', 'parts need attention'),
  allWell: 'Nothing needs attention.',
  label: 'Parts of the service, those that need attention first',
  columns: { part: 'Part', state: 'State', says: 'Finding' },
  partOf: (part: string): string => PARTS[part] ?? part,
  states: { ok: 'OK', attention: 'needs attention', unknown: 'not visible from here' },
  asSeen: 'As seen by the node that answered. Reload the page to check again.',
  command: 'On the command line:',
  packages: 'Package directory',
} as const

export const packages = {
  title: 'Package directory',
  label: 'Packages by name',
  columns: { name: 'Name', id: 'Snap id' },
  empty: 'No packages yet.',
  emptyWhat:
    'The directory gives the snap id of each name, for tokens that are limited to packages. While it is empty, the name itself is used as the snap id.',
  emptyStep: 'Import packages…',
  emptyCommand: 'On the command line:',
  import: 'Import packages…',
  importTitle: 'Package directory import',
  importWhat:
    'The whole file is imported, or nothing. A job reads it and reports each problem, with line and column.',
  file: 'File',
  fileHint:
    'CSV with the columns name and snap_id, or JSON, up to 4 MB. Use the command line for larger files.',
  fileMissing: 'Choose a file.',
  format: 'Format',
  formats: { csv: 'CSV with a header line', json: 'JSON list of objects', ndjson: 'JSON lines' },
  replaceAll: 'Remove the packages that are not in the file',
  replaceAllHint:
    'After its removal, a package has its name as its snap id again, or none. Validate the file first: the job shows how many packages would be removed.',
  typeReplace: (word: Html): Html => html`To remove packages, type ${word}`,
  replaceWord: 'replace',
  try: 'Validate only',
  do: 'Import',
  trying: 'Validation started. Nothing is imported.',
  importing: 'Import started.',
} as const

export const audit = {
  title: 'Audit',
  label: 'Entries, newest first',
  columns: { at: 'Time', actor: 'Actor', action: 'Action', subject: 'Object', details: 'Details' },
  filters: {
    actor: 'Actor',
    action: 'Action',
    subject: 'Object',
    since: 'From (midnight UTC)',
    until: 'Until (midnight UTC)',
  },
  empty: 'No entries yet.',
  emptyWhat:
    'Every change to the service has an entry here: who did what, when and from where. Hashes link the entries, so that removing or changing one is noticed.',
  emptyStep: 'Go to the overview',
  emptyCommand: 'On the command line:',

  exports: 'Export the filtered entries as',
  csv: 'CSV',
  lines: 'JSON lines',
  exportWhat: 'Oldest first, with the hashes. Each export is itself an entry.',

  chain: 'Chain',
  linkedTo: (seq: number): string => `Linked up to entry ${number(seq)}`,
  noneLinked: 'No entries linked yet.',
  waiting: (count: number, isAll: boolean): string =>
    `${isAll ? 'At least ' : ''}${counted(count, 'entry waits', 'entries wait')} to be linked. This takes about a second while the service runs.`,
  lastVerified: 'Last verification',
  neverVerified: 'Not verified recently',
  wasWhole: 'intact',
  wasBroken: (seq: number): string => `broken at entry ${number(seq)}`,
  verify: 'Verify audit log…',

  verifyTitle: 'Verify the audit log?',
  verifyWhat:
    'A job reads the whole chain and checks whether an entry was changed, removed, moved or inserted. It changes nothing.',
  expect: 'Last intact entry of an earlier verification',
  expectHint:
    'Optional, for example 1204:0f3a…. The log must still contain this entry, which shows that the chain was not rebuilt.',
  verifyDo: 'Verify audit log',
  verifying: 'Verification started.',
  verifyCommand: 'On the command line:',

  entry: 'Entry',
  entryNumber: (seq: number): string => `Entry ${number(seq)}`,
  unlinked: 'not linked yet',
  facts: {
    at: 'Time',
    actor: 'Actor',
    source: 'Source',
    action: 'Action',
    subject: 'Object',
    seq: 'Position in the chain',
    id: 'ID',
  },
  details: 'Details',
  noSuchEntry: 'The audit log has no such entry.',
  noDetails: 'No details.',
  sameSubject: 'All entries about this object',
  sameActor: 'All entries by this actor',
} as const
