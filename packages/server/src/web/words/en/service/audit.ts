/** Words of the pages of the audit log. */
import { counted, number } from '../common.ts'

export const audit = {
  title: 'Audit',
  label: 'Entries, newest first',
  columns: { at: 'When', actor: 'Who', action: 'What', subject: 'Of what', details: 'Details' },
  filters: {
    actor: 'Who',
    action: 'What (an action)',
    subject: 'Of what',
    since: 'From (midnight UTC)',
    until: 'Until (midnight UTC)',
  },
  empty: 'There is no entry yet.',
  emptyWhat:
    'Every change to the service is an entry here: who did what, when and from where. Entries are linked by hashes, so that none can be removed or changed unnoticed.',
  emptyStep: 'Go to the overview',
  emptyCommand: 'On the command line:',

  exports: 'Save what these filters choose as',
  csv: 'CSV',
  lines: 'JSON lines',
  exportWhat: 'Oldest first, with the hashes. Each export is an entry of the log.',

  chain: 'The chain',
  linkedTo: (seq: number): string => `Linked up to entry ${number(seq)}`,
  noneLinked: 'No entry is linked yet.',
  waiting: (count: number, isAll: boolean): string =>
    `${isAll ? 'At least ' : ''}${counted(count, 'entry waits', 'entries wait')} to be linked: that takes about a second while the service runs.`,
  lastVerified: 'Last verification',
  neverVerified: 'not among the newest jobs',
  wasWhole: 'whole',
  wasBroken: (seq: number): string => `broken at entry ${number(seq)}`,
  verify: 'Verify…',

  verifyTitle: 'Verify the audit log',
  verifyWhat:
    'A job reads the whole chain, and says whether an entry was changed, removed, moved or inserted. It changes nothing.',
  expect: 'The end that an earlier verification gave',
  expectHint:
    'Optional, such as 1204:0f3a… If it is given, the log must still contain that entry, which shows that nobody rebuilt the chain.',
  verifyDo: 'Verify',
  verifying: 'A job verifies the log.',
  verifyCommand: 'On the command line:',

  entry: 'Entry',
  entryNumber: (seq: number): string => `Entry ${number(seq)}`,
  unlinked: 'not linked yet',
  facts: {
    at: 'When',
    actor: 'Who',
    source: 'From',
    action: 'What',
    subject: 'Of what',
    seq: 'Place in the chain',
    id: 'Id',
  },
  details: 'Details',
  noSuchEntry: 'There is no such entry of the audit log.',
  noDetails: 'There are none.',
  sameSubject: 'All entries of this subject',
  sameActor: 'All entries by them',
} as const
