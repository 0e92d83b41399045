/** Words of the page that says how the service is, and of the package directory. */
import { type Html, html } from '../../../html.ts'
import { counted } from '../common.ts'

const PARTS: Readonly<Record<string, string>> = {
  service: 'Service',
  nodes: 'Processes',
  jobs: 'Periodic work',
  bulk_jobs: 'Jobs',
  database: 'Database',
  schema: 'Schema of the database',
  clock: 'Clock',
  changes: 'Changes received',
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
  columns: { part: 'Part', state: 'State', says: 'What is known, and what to do' },
  partOf: (part: string): string => PARTS[part] ?? part,
  states: { ok: 'in order', attention: 'needs attention', unknown: 'cannot be seen from here' },
  asSeen: 'As seen by the node that answered. Reload the page to look again.',
  command: 'On the command line:',
  packages: 'Package directory',
} as const

export const packages = {
  title: 'Package directory',
  label: 'Packages by name',
  columns: { name: 'Name', id: 'Snap id' },
  empty: 'The package directory is empty.',
  emptyWhat:
    'It says which snap id a name has, for tokens that are limited to packages. While it is empty, the name itself is used as the snap id.',
  emptyStep: 'Import a file',
  emptyCommand: 'On the command line:',
  import: 'Import…',
  importTitle: 'Import the package directory',
  importWhat:
    'The whole file is imported, or nothing. A job reads it and says what is wrong, with line and column.',
  file: 'The file',
  fileHint:
    'CSV with the columns name and snap_id, or JSON, of up to 4 MB. Longer files are for the command line.',
  fileMissing: 'Choose a file.',
  format: 'Format',
  formats: { csv: 'CSV with a header line', json: 'JSON list of objects', ndjson: 'JSON lines' },
  replaceAll: 'Remove the packages that are not in the file',
  replaceAllHint:
    'A package that is removed has its name as its snap id again, or none. Try the file first: the job says how many would go.',
  typeReplace: (word: Html): Html => html`To remove packages, type ${word}`,
  replaceWord: 'replace',
  try: 'Try it first',
  do: 'Import',
  trying: 'A job tries the file and says what the import would do.',
  importing: 'A job imports the file.',
} as const
