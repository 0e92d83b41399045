/** The text of the audit log pages. */
import { counted, number } from '../common.ts'

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
