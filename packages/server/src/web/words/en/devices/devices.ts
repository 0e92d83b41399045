/** Words of the pages of devices. */
import { counted, number } from '../common.ts'

const SHORT_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })

/** A number that is counted up to a limit. */
interface Counted {
  readonly devices: number
  readonly more: boolean
}
const upTo = ({ devices, more }: Counted): string => (more ? `more than ${number(devices)}` : number(devices))

export const devices = {
  title: 'Devices',
  label: 'Devices that match',
  noSerial: '(no serial yet)',
  none: 'none',
  statuses: {
    pending: 'waits',
    rejected: 'rejected',
    active: 'active',
    superseded: 'superseded',
    revoked: 'revoked',
  },
  quarantine: 'quarantine',
  removed: 'removed',
  /** The same in a sentence. */
  isNow: {
    pending: 'waits for approval',
    rejected: 'is rejected',
    active: 'is active',
    superseded: 'is superseded',
    revoked: 'is revoked',
    quarantine: 'is in quarantine',
    removed: 'is removed',
  },
  origins: {
    registration: 'registered here',
    session: 'came with a session',
    import: 'imported',
  },
  total: (devices: number): string => number(devices),
  waiting: (waiting: Counted): string =>
    `${upTo(waiting)} ${waiting.devices === 1 && !waiting.more ? 'waits' : 'wait'}`,
  inQuarantine: (quarantined: Counted): string => `${upTo(quarantined)} in quarantine`,
  withEvidence: 'with evidence of clones',
  exportCsv: 'Export CSV',
  exportLines: 'JSON lines',
  import: 'Import…',
  searched: (text: string): string =>
    `Searched for serials that contain “${text}”${text.length < 8 ? '' : ', device keys whose id begins with it,'} and devices with this id. Capitals count.`,
  filters: {
    q: 'Part of a serial, beginning of a key, or id',
    model: 'Model',
    anyModel: 'all models',
    anyModelHint: 'BRAND/MODEL',
    status: 'Status',
    anyStatus: 'any',
    seen: 'Last seen',
    seenAny: 'any time',
    seenToday: 'today',
    seenWeek: 'in the last 7 days',
    unseenMonth: 'not for 30 days',
    sort: 'Order',
    registeredSince: 'Registered from (midnight UTC)',
    registeredUntil: 'Registered before (midnight UTC)',
    address: 'Address or block',
    origin: 'Origin',
    anyOrigin: 'any',
    quarantined: 'in quarantine',
    evidence: 'evidence of clones',
    neverSeen: 'never seen',
    others: 'Also asked for:',
  },
  sorts: {
    '-registered': 'newest first',
    registered: 'oldest first',
    serial: 'by serial',
    '-seen': 'last seen first',
    seen: 'longest unseen first',
    '-evidence': 'newest evidence first',
  },
  columns: {
    serial: 'Serial, registered',
    model: 'Model',
    status: 'Status',
    seen: 'Last seen',
  },
  evidence: 'evidence',
  empty: 'There are no devices yet.',
  emptyWhat:
    'A device comes here when it registers for its serial. For that, the service needs its model and a key that signs serials. Devices that have serials already can be imported.',
  emptyStep: 'Look at brands and models',
  emptyImport: 'Import devices',
  emptyCommand: 'Or on the command line:',
  chosen: 'With the chosen:',
  all: (found: number | undefined): string =>
    found === undefined
      ? 'With all devices that match:'
      : `With all ${counted(found, 'device that matches', 'devices that match')}:`,
  verbs: { approve: 'Approve…', reject: 'Reject…', release: 'Release…', revoke: 'Revoke…' },

  identity: 'Identity',
  model: 'Brand, model',
  key: 'Device key',
  sameKey: 'all devices of this key',
  revision: 'Serial revision',
  signedWith: 'signed with',
  registered: 'Registered',
  original: 'Remodeled from',
  from: 'From',
  decided: 'Decided',
  decidedBy: (by: string): string => `by ${by}`,
  reason: 'Reason',
  lastSeen: 'Last seen',
  neverSeen: 'never',
  id: 'Id',
  origin: 'Origin',
  removedAt: 'Removed',
  shortKey: (key: string): string => (key.length <= 16 ? key : `${key.slice(0, 8)}…${key.slice(-4)}`),

  quarantineTitle: 'It gets no session until somebody decides.',
  quarantineWhat: (chains: number, times: number): string =>
    chains === 0
      ? 'It came into quarantine with an import, or its evidence has been removed.'
      : `Two hold this device's key: ${counted(chains, 'chain of sessions was', 'chains of sessions were')} refreshed ${counted(times, 'time', 'times')} beside another that was alive.`,
  quarantineDo:
    'If the board was copied: revoke it, and let the real one register with a new key. If you know that it is one device: release it.',
  waitsTitle: 'It waits for a decision.',
  ignoredSerial: (serial: string): string =>
    `its firmware proposed “${serial}”, which is no serial number, so the service made one`,
  waitsProposed: (serial: string): string => `It proposes the serial ${serial}.`,
  waitsWithout: 'It proposes no serial; the model makes one if you give none.',
  rejectedTitle: 'It was rejected, and is told why when it asks again.',

  approveLabel: 'Another serial than the proposed one',
  approveLabelWithout: 'Serial',
  approveHint: 'Leave it empty for the one that the device proposes, or the model makes.',
  approve: 'Approve',
  approveTitle: (name: string): string => `Approve ${name}`,
  approved: (name: string): string => `${name} is approved. It gets its serial when it asks the next time.`,
  reject: 'Reject…',
  rejectTitle: (name: string): string => `Reject ${name}`,
  rejectWhat: 'The device gets no serial, and shows your reason. You can approve it later all the same.',
  rejectLabel: 'Reason',
  rejectHint: 'One line of up to 200 characters. The device shows it.',
  rejectDo: 'Reject it',
  rejectedNotice: (name: string): string => `${name} is rejected.`,
  release: 'Release…',
  releaseTitle: (name: string): string => `Release ${name} from quarantine`,
  releaseWhat:
    'Whoever has its key gets sessions again. If two devices have the key, it goes back into quarantine when both use it.',
  releaseDo: 'Release it',
  released: (name: string): string => `${name} is out of quarantine.`,
  revoke: 'Revoke…',
  revokeTitle: (name: string): string => `Revoke ${name}`,
  revokeWhat: (sessions: string): string =>
    `The device and its sessions end within a second, for good: ${sessions}. Nobody else gets its serial. This cannot be undone.`,
  revokeSessions: (count: number, more: boolean): string =>
    count === 0
      ? 'it has no session that is alive'
      : `${more ? 'at least ' : ''}${counted(count, 'session', 'sessions')} alive`,
  revokeReason: 'Reason (optional)',
  revokeReasonHint: 'One line of up to 200 characters, for the audit log and lists.',
  revokeDo: 'Revoke it for good',
  revokedNotice: (name: string): string => `${name} is revoked.`,
  notPossible: (isNow: string): string => `This is not possible any more: the device ${isNow}.`,
  toDevice: 'To the device',

  evidenceTitle: 'Evidence of clones',
  evidenceNone: 'None.',
  evidenceColumns: {
    kind: 'What',
    other: 'Chain or key',
    times: 'Times',
    last: 'Last',
    from: 'From',
  },
  sessions: 'Sessions',
  sessionsNone: 'It has opened no session.',
  sessionColumns: {
    opened: 'Opened',
    until: 'Until',
    chain: 'Chain',
    store: 'Store',
    address: 'Address',
    program: 'Program',
  },
  older: 'Older sessions',
  history: 'History',
  historyNone: 'The audit log has nothing about it.',
  historyAll: 'All entries of the audit log',
  actions: {
    'device.register': 'got its serial',
    'device.wait': 'asked for a serial, and waits',
    'device.approve': 'approved',
    'device.reject': 'rejected',
    'device.revoke': 'revoked',
    'device.release': 'released from quarantine',
    'device.quarantine': 'put into quarantine',
    'device.supersede': 'lost its serial to another key',
    'device.enter': 'came with a session',
    'device.update': 'came with a newer serial',
    'device.remove': 'removed',
  } as Readonly<Record<string, string>>,
  apiKey: 'with the API key',
  registrations: 'Registrations',
  registrationsSummary: (count: number, areAll: boolean): string =>
    areAll ? `asked ${counted(count, 'time', 'times')}` : `the last ${number(count)} times it asked`,
  registrationsNone: 'It did not register here.',
  assertions: 'Assertions',
  assertionsNone: 'No serial assertion is stored.',
  assertion: (revision: number): string => `serial, revision ${revision}`,

  plot: {
    tick: (at: Date, isShort: boolean): string =>
      isShort ? `${SHORT_DAY.format(at)} ${CLOCK.format(at)}` : SHORT_DAY.format(at),
    label: (chains: number, from: string, to: string): string =>
      `Sessions of ${counted(chains, 'chain', 'chains')} over time, from ${from} to ${to}.`,
    chain: (name: string, sessions: number, from: string, to: string): string =>
      `Chain ${name}: ${counted(sessions, 'session', 'sessions')}, from ${from} to ${to}.`,
    asTable: 'As a table',
    caption: 'Chains of sessions',
    columns: { chain: 'Chain', sessions: 'Sessions', first: 'First', last: 'Last' },
  },

  bulk: {
    titles: {
      approve: (count: number): string => `Approve ${counted(count, 'device', 'devices')}`,
      reject: (count: number): string => `Reject ${counted(count, 'device', 'devices')}`,
      release: (count: number): string => `Release ${counted(count, 'device', 'devices')} from quarantine`,
      revoke: (count: number): string => `Revoke ${counted(count, 'device', 'devices')}`,
    },
    nothingYet: 'Nothing is done yet.',
    chosen: 'You chose them one by one.',
    filtered: 'All that match:',
    examined: (examined: number): string => `Of the first ${number(examined)}:`,
    would: {
      approve: (count: number): string => `${counted(count, 'device', 'devices')} would get a serial`,
      reject: (count: number): string => `${counted(count, 'device', 'devices')} would be rejected`,
      release: (count: number): string => `${counted(count, 'device', 'devices')} would be released`,
      revoke: (count: number): string => `${counted(count, 'device', 'devices')} would be revoked for good`,
    },
    unchanged: (count: number): string => `${number(count)} already decided that way`,
    refused: (count: number): string => `${number(count)} would be refused`,
    first: (count: number): string => (count === 1 ? 'It is:' : `The first ${number(count)}:`),
    whyRefused: 'Why some would be refused',
    refusedColumns: { device: 'Device', why: 'Why' },
    asCsv: 'All of them as CSV',
    undone: 'This cannot be undone.',
    reason: 'Reason',
    reasonHint: 'One line of up to 200 characters. Devices that are rejected show it.',
    reasonRevoke: 'Reason (optional)',
    do: { approve: 'Approve', reject: 'Reject', release: 'Release', revoke: 'Revoke for good' },
    none: 'No device fits any more.',
    back: 'Back to the list',
    made: (count: number): string => `The job is made: ${counted(count, 'device', 'devices')}.`,
    noVerb: 'The address does not say what to do. Choose devices in the list.',
    nobody: 'No device is chosen. Choose some in the list, or filter it.',
  },
} as const
