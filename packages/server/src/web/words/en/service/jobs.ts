/** Words of the pages of jobs. */
import { type Html, html } from '../../../html.ts'
import { counted, number } from '../common.ts'

/** What a kind does, for those that this release knows. */
const KINDS: Readonly<Record<string, string>> = {
  'devices.approve': 'Approve devices',
  'devices.reject': 'Reject devices',
  'devices.revoke': 'Revoke devices',
  'devices.release': 'Release devices from quarantine',
  'devices.import': 'Import devices',
  'tokens.revoke': 'Revoke tokens',
  'allow-list.import': 'Import an allow-list',
  'allow-list.remove': 'Remove entries of an allow-list',
  'hardware-identities.import': 'Import hardware identities',
  'packages.import': 'Import the package directory',
  'audit.verify': 'Verify the audit log',
}

const STATES: Readonly<Record<string, string>> = {
  uploading: 'waits for its file',
  queued: 'waits for its turn',
  running: 'running',
  done: 'done',
  cancelled: 'cancelled',
  stopped: 'stopped',
  failed: 'failed',
}

const OUTCOMES: Readonly<Record<string, string>> = {
  done: 'done',
  unchanged: 'unchanged',
  refused: 'refused',
  open: 'open',
}

/** What an import, or a verification, counts. */
const RESULTS: Readonly<Record<string, string>> = {
  added: 'Added',
  broken_at: 'Broken at entry',
  devices: 'Devices in the file',
  imported: 'Imported',
  removed: 'Removed',
  unlinked: 'Not linked yet',
  verified: 'Entries verified',
}

const asWords = (name: string): string => {
  const text = name.replaceAll('_', ' ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** `about 40 s`, `about 3 min`. */
function about(seconds: number): string {
  if (seconds < 90) return `about ${number(Math.max(1, Math.round(seconds)))} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `about ${number(minutes)} min` : `about ${number(Math.round(minutes / 60))} h`
}

export const jobs = {
  title: 'Jobs',
  label: 'Jobs, newest first',
  kindOf: (kind: string): string => KINDS[kind] ?? kind,
  stateOf: (state: string): string => STATES[state] ?? state,
  outcomeOf: (outcome: string): string => OUTCOMES[outcome] ?? outcome,
  columns: { job: 'Job', state: 'State', progress: 'Done', by: 'By', made: 'Made' },
  tried: 'only tried',
  mine: 'You see your own jobs; operators see all. A job is kept for 30 days after it ends, unless the service is set otherwise.',
  all: "You see everybody's jobs. A job is kept for 30 days after it ends, unless the service is set otherwise.",
  empty: 'There is no job.',
  emptyWhat:
    'A job makes the same decision about many records, or imports a file, and goes on when you close the page.',
  emptyStep: 'Choose devices',
  emptyStepTokens: 'Choose tokens',
  emptyCommand: 'Or on the command line:',

  settled: (settled: number, total: number): string => `${number(settled)} of ${number(total)}`,
  unchanged: (count: number): string => `${number(count)} unchanged`,
  refused: (count: number): string => `${number(count)} refused`,
  left: about,
  progress: 'Progress',
  running: 'The job is running. This page updates every few seconds.',
  waiting: 'The job waits for its turn. This page updates every few seconds.',
  holdStill: 'Stop updating this page',
  follow: 'Follow the job',

  facts: {
    kind: 'Kind',
    by: 'Made by',
    made: 'Made',
    started: 'Began',
    ended: 'Ended',
    parts: 'Parts of its file',
    note: 'Note',
    id: 'Id',
  },
  notYet: 'not yet',
  triedWhat: 'This job only tries. It says what it would do, and changes nothing.',
  outcome: 'Outcome',
  outcomes: { all: 'all', open: 'open', done: 'done', unchanged: 'unchanged', refused: 'refused' },
  items: 'Records',
  itemsLabel: 'Records of the job, in the order of the selection',
  itemColumns: { subject: 'Record', outcome: 'Outcome', why: 'Why' },
  itemsEmpty: 'The job has no records.',
  exports: 'Save the records as',
  csv: 'CSV',
  lines: 'JSON lines',

  /** `subject` of the only item of an import, or of a verification. */
  single: { file: 'The file', 'audit log': 'The audit log' } as Readonly<Record<string, string>>,
  resultOf: (name: string): string => RESULTS[name] ?? asWords(name),
  fileDone: 'The file was imported.',
  fileTried: 'The file can be imported: this is what it would do.',
  fileRefused: (faults: number): string =>
    faults === 0
      ? 'The file was refused. Nothing was imported.'
      : `The file was refused: ${counted(faults, 'fault', 'faults')}. Nothing was imported.`,
  faults: 'Faults of the file',
  faultColumns: { place: 'Place', column: 'Column', message: 'What is wrong' },
  line: (line: number): string => `line ${number(line)}`,
  item: (item: number): string => `item ${number(item)}`,
  wholeFile: 'the file',

  verified: 'The chain is whole: no entry was changed, removed, moved or inserted.',
  broken: (seq: number): string =>
    `The chain is broken at entry ${number(seq)}. No entry after it was checked.`,
  end: 'Last intact entry',
  endWhat:
    'Keep this text elsewhere, and give it to the next verification: the log must still contain the entry.',
  copyEnd: 'Copy',
  nextVerification: 'Verify again from this entry',

  uploading: (parts: number): string =>
    `The job waits for its file, which comes in ${counted(parts, 'part', 'parts')}.`,
  whole: 'All parts are here. When it is started, the file is imported whole or not at all.',
  start: 'Start',
  startTitle: 'Start this job?',
  started: 'The job is started.',
  isStarted: 'The job does not wait to be started.',

  cancel: 'Stop…',
  cancelTitle: 'Stop this job?',
  cancelDo: 'Stop it',
  cancelBack: 'Let it go on',
  cancelWhat: (settled: number, total: number): Html =>
    html`<strong>${number(settled)} of ${number(total)}</strong> are decided. What is done stays done; what is open stays as it is.`,
  cancelFile: 'Nothing of the file has been imported, and nothing will be.',
  cancelAgain: 'A job that was stopped does not go on. Make another for what is left.',
  cancelled: 'The job is stopped.',
  wasOver: 'The job had ended before.',
  isOver: 'The job has ended. There is nothing to stop.',
} as const
