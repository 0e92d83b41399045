/** The words of the job pages. */
import { type Html, html } from '../../html.ts'
import { counted, number } from './common.ts'

/** The name of each kind that this release knows. */
const KINDS: Readonly<Record<string, string>> = {
  'devices.approve': 'Device approval',
  'devices.reject': 'Device rejection',
  'devices.revoke': 'Device revocation',
  'devices.release': 'Device release from quarantine',
  'devices.import': 'Device import',
  'tokens.revoke': 'Token revocation',
  'allow-list.import': 'Allow-list import',
  'allow-list.remove': 'Allow-list removal',
  'hardware-identities.import': 'Hardware identity import',
  'packages.import': 'Package directory import',
  'audit.verify': 'Audit log verification',
}

const STATES: Readonly<Record<string, string>> = {
  uploading: 'waiting for file',
  queued: 'queued',
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
  open: 'pending',
}

/** The counts of an import or a verification. */
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
  columns: { job: 'Job', state: 'State', progress: 'Progress', by: 'Created by', made: 'Created' },
  tried: 'dry run',
  mine: 'You see your own jobs; operators see all. A job is kept for 30 days after it finishes, unless the service is configured otherwise.',
  all: 'You see the jobs of all users. A job is kept for 30 days after it finishes, unless the service is configured otherwise.',
  empty: 'No jobs yet.',
  emptyWhat:
    'A job makes one decision about many records, or imports a file. It continues when you close the page.',
  emptyStep: 'Select devices',
  emptyStepTokens: 'Select tokens',
  emptyCommand: 'Or on the command line:',

  settled: (settled: number, total: number): string => `${number(settled)} of ${number(total)}`,
  unchanged: (count: number): string => `${number(count)} unchanged`,
  refused: (count: number): string => `${number(count)} refused`,
  left: about,
  progress: 'Progress',
  running: 'The job is running. This page updates every few seconds.',
  waiting: 'The job is queued. This page updates every few seconds.',
  holdStill: 'Pause updates',
  follow: 'Resume updates',

  facts: {
    kind: 'Kind',
    by: 'Created by',
    made: 'Created',
    started: 'Started',
    ended: 'Finished',
    parts: 'Parts of the file',
    note: 'Note',
    id: 'ID',
  },
  notYet: 'not yet',
  triedWhat: 'This job is a dry run: it shows what would be done, and changes nothing.',
  outcome: 'Outcome',
  outcomes: { all: 'all', open: 'pending', done: 'done', unchanged: 'unchanged', refused: 'refused' },
  items: 'Records',
  itemsLabel: 'Records of the job, in the order of the selection',
  itemColumns: { subject: 'Record', outcome: 'Outcome', why: 'Reason' },
  itemsEmpty: 'No records.',
  exports: 'Export the records as',
  csv: 'CSV',
  lines: 'JSON lines',

  /** Names for the only item of an import or a verification, by its `subject`. */
  single: { file: 'The file', 'audit log': 'The audit log' } as Readonly<Record<string, string>>,
  resultOf: (name: string): string => RESULTS[name] ?? asWords(name),
  fileDone: 'File imported.',
  fileTried: 'The file can be imported. It would have these results:',
  fileRefused: (faults: number): string =>
    faults === 0
      ? 'The file was refused. Nothing was imported.'
      : `The file was refused: ${counted(faults, 'problem', 'problems')}. Nothing was imported.`,
  faults: 'Problems in the file',
  faultColumns: { place: 'Place', column: 'Column', message: 'Problem' },
  line: (line: number): string => `line ${number(line)}`,
  item: (item: number): string => `item ${number(item)}`,
  wholeFile: 'the file',

  verified: 'The chain is intact: no entry was changed, removed, moved or inserted.',
  broken: (seq: number): string =>
    `The chain is broken at entry ${number(seq)}. Later entries were not checked.`,
  end: 'Last intact entry',
  endWhat:
    'Keep this text outside the service, and give it to the next verification: the log must still contain the entry.',
  copyEnd: 'Copy',
  nextVerification: 'Verify again from this entry…',

  uploading: (parts: number): string =>
    `The job waits for its file, which has ${counted(parts, 'part', 'parts')}.`,
  whole: 'All parts have arrived. When you start the job, the whole file is imported, or nothing.',
  start: 'Start job',
  startTitle: 'Start this job?',
  started: 'Job started.',
  isStarted: 'The job is not waiting to be started.',

  cancel: 'Cancel job…',
  cancelTitle: 'Cancel this job?',
  cancelDo: 'Cancel job',
  cancelBack: 'Keep it running',
  cancelWhat: (settled: number, total: number): Html =>
    html`<strong>${number(settled)} of ${number(total)}</strong> records are decided and stay so. The others stay unchanged.`,
  cancelFile: 'Nothing has been imported from the file, and nothing will be.',
  cancelAgain: 'You cannot resume a cancelled job. Create another one for the rest.',
  cancelled: 'Job cancelled.',
  wasOver: 'The job had finished already.',
  isOver: 'The job has finished. There is nothing to cancel.',
} as const
