/** The words of the device pages. */
import { counted, number } from './common.ts'

const SHORT_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })

/** A number that is only counted up to a limit. */
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
    pending: 'pending',
    rejected: 'rejected',
    active: 'active',
    superseded: 'superseded',
    revoked: 'revoked',
  },
  quarantine: 'quarantined',
  removed: 'removed',
  /** The status as the end of a sentence. */
  isNow: {
    pending: 'is pending',
    rejected: 'is rejected',
    active: 'is active',
    superseded: 'is superseded',
    revoked: 'is revoked',
    quarantine: 'is quarantined',
    removed: 'has been removed',
  },
  origins: {
    registration: 'registered here',
    session: 'added by its session',
    import: 'imported',
  },
  total: (devices: number): string => number(devices),
  waiting: (waiting: Counted): string => `${upTo(waiting)} pending`,
  inQuarantine: (quarantined: Counted): string => `${upTo(quarantined)} quarantined`,
  withEvidence: 'with evidence of clones',
  exportCsv: 'Export CSV',
  exportLines: 'Export JSON lines',
  import: 'Import devices…',
  searched: (text: string): string =>
    `Searched for serials that contain “${text}”${text.length < 8 ? '' : ', device keys whose id begins with it,'} and devices with this id. The search is case-sensitive.`,
  filters: {
    q: 'Part of a serial, start of a key, or id',
    model: 'Model',
    anyModel: 'all models',
    anyModelHint: 'BRAND/MODEL',
    status: 'Status',
    anyStatus: 'any',
    seen: 'Last seen',
    seenAny: 'any time',
    seenToday: 'today',
    seenWeek: 'in the last 7 days',
    unseenMonth: 'not in the last 30 days',
    sort: 'Order',
    registeredSince: 'Registered from (midnight UTC)',
    registeredUntil: 'Registered before (midnight UTC)',
    address: 'Address or network',
    origin: 'Origin',
    anyOrigin: 'any',
    quarantined: 'quarantined',
    evidence: 'evidence of clones',
    neverSeen: 'never seen',
    others: 'Other filters:',
  },
  sorts: {
    '-registered': 'Newest first',
    registered: 'Oldest first',
    serial: 'By serial',
    '-seen': 'Most recently seen first',
    seen: 'Not seen for longest',
    '-evidence': 'Newest evidence first',
  },
  columns: {
    serial: 'Serial, registered',
    model: 'Model',
    status: 'Status',
    seen: 'Last seen',
  },
  evidence: 'evidence',
  empty: 'No devices yet.',
  emptyWhat:
    'A device appears here when it registers for its serial. For that, the service needs its model and a key that signs serials. You can import devices that have serials already.',
  emptyStep: 'Show brands and models',
  emptyImport: 'Import devices…',
  emptyCommand: 'Or on the command line:',
  chosen: 'Selected devices:',
  all: (found: number | undefined): string =>
    found === undefined
      ? 'All devices that match:'
      : `All ${counted(found, 'device that matches', 'devices that match')}:`,
  verbs: {
    approve: 'Approve devices…',
    reject: 'Reject devices…',
    release: 'Release devices…',
    revoke: 'Revoke devices…',
  },

  identity: 'Identity',
  model: 'Brand, model',
  key: 'Device key',
  sameKey: 'All devices with this key',
  revision: 'Serial revision',
  signedWith: 'signed with',
  registered: 'Registered',
  original: 'Remodelled from',
  from: 'Registered from',
  requested: 'Requested',
  requestedFrom: 'Requested from',
  decided: 'Decided',
  decidedBy: (by: string): string => `by ${by}`,
  reason: 'Reason',
  lastSeen: 'Last seen',
  neverSeen: 'never',
  id: 'ID',
  origin: 'Origin',
  removedAt: 'Removed',
  shortKey: (key: string): string => (key.length <= 16 ? key : `${key.slice(0, 8)}…${key.slice(-4)}`),

  quarantineLead: 'It cannot open a session until you decide.',
  quarantineWhat: (chains: number, times: number): string =>
    chains === 0
      ? 'It was imported in quarantine, or its evidence has been removed.'
      : `Two devices use this key: ${chains === 1 ? 'one session was' : `${number(chains)} sessions were`} renewed${times === 1 ? '' : ` ${counted(times, 'time', 'times')}`} while another was active.`,
  quarantineAdvice:
    'If the board was copied, revoke the device, and let the real one register with a new key. If you know that there is only one device, release it.',
  waitsLead: 'This device is pending: approve or reject it.',
  ignoredSerial: (serial: string): string =>
    `its firmware proposed “${serial}”, which is not a serial number, so the service generated one`,
  waitsProposed: (serial: string): string => `It proposes the serial ${serial}.`,
  waitsWithout: 'The device did not propose a serial. If you leave this empty, one is generated.',
  rejectedLead: 'This device was rejected, and gets the reason the next time it asks.',

  approveLabel: 'Different serial',
  approveLabelWithout: 'Serial',
  approveHint: 'Leave empty to use the proposed or generated serial.',
  approve: 'Approve device',
  approveTitle: (name: string): string => `Approve device ${name}?`,
  approved: (name: string): string => `Device ${name} approved. It gets its serial the next time it asks.`,
  reject: 'Reject device…',
  rejectTitle: (name: string): string => `Reject device ${name}?`,
  rejectWhat: 'The device does not get a serial, and shows your reason. You can still approve it later.',
  rejectLabel: 'Reason',
  rejectHint: 'One line of up to 200 characters. The device shows it.',
  rejectDo: 'Reject device',
  rejectedNotice: (name: string): string => `Device ${name} rejected.`,
  release: 'Release device…',
  releaseTitle: (name: string): string => `Release device ${name} from quarantine?`,
  releaseWhat:
    'Any device with its key gets sessions again. If two devices have the key, it is quarantined again when both use it.',
  releaseDo: 'Release device',
  released: (name: string): string => `Device ${name} released from quarantine.`,
  revoke: 'Revoke device…',
  revokeTitle: (name: string): string => `Revoke device ${name}?`,
  revokeWhat: (sessions: string): string =>
    `This permanently revokes the device${sessions}, within a second. Its serial is never reused. This cannot be undone.`,
  revokeSessions: (count: number, more: boolean): string =>
    count === 0
      ? ''
      : ` and ${more ? 'at least ' : 'its '}${counted(count, 'active session', 'active sessions')}`,
  revokeReason: 'Reason (optional)',
  revokeReasonHint: 'One line of up to 200 characters, for the audit log and lists.',
  revokeDo: 'Revoke device',
  revokedNotice: (name: string): string => `Device ${name} revoked.`,
  notPossible: (isNow: string): string => `This is not possible any more: the device ${isNow}.`,
  toDevice: 'Back to the device',

  evidenceTitle: 'Evidence of clones',
  evidenceNone: 'No evidence yet.',
  evidenceColumns: {
    kind: 'Kind',
    other: 'Chain or key',
    times: 'Times',
    last: 'Last seen',
    from: 'Address',
  },
  sessions: 'Sessions',
  sessionsNone: 'No sessions yet.',
  sessionColumns: {
    opened: 'Opened',
    until: 'Expires',
    chain: 'Chain',
    store: 'Store',
    address: 'Address',
    program: 'Client',
  },
  older: 'Older sessions',
  history: 'History',
  historyNone: 'No entries in the audit log.',
  historyAll: 'All entries in the audit log',
  actions: {
    'device.register': 'serial issued',
    'device.wait': 'requested a serial, pending',
    'device.approve': 'approved',
    'device.reject': 'rejected',
    'device.revoke': 'revoked',
    'device.release': 'released from quarantine',
    'device.quarantine': 'quarantined',
    'device.supersede': 'superseded by another key',
    'device.enter': 'added by its session',
    'device.update': 'sent a newer serial',
    'device.remove': 'removed',
  } as Readonly<Record<string, string>>,
  apiKey: 'with the API key',
  registrations: 'Registrations',
  registrationsSummary: (count: number, areAll: boolean): string =>
    areAll ? counted(count, 'request', 'requests') : `the last ${number(count)} requests`,
  registrationsNone: 'No registrations here.',
  assertions: 'Assertions',
  assertionsNone: 'No serial assertions yet.',
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
      approve: (count: number): string => `Approve ${counted(count, 'device', 'devices')}?`,
      reject: (count: number): string => `Reject ${counted(count, 'device', 'devices')}?`,
      release: (count: number): string => `Release ${counted(count, 'device', 'devices')} from quarantine?`,
      revoke: (count: number): string => `Revoke ${counted(count, 'device', 'devices')}?`,
    },
    nothingYet: 'Nothing has been changed yet.',
    chosen: (count: number): string => `${number(count)} selected.`,
    filtered: 'All that match:',
    examined: (examined: number): string => `Among the first ${number(examined)}:`,
    would: {
      approve: (count: number): string => `${counted(count, 'device', 'devices')} would get a serial`,
      reject: (count: number): string => `${counted(count, 'device', 'devices')} would be rejected`,
      release: (count: number): string => `${counted(count, 'device', 'devices')} would be released`,
      revoke: (count: number): string =>
        `${counted(count, 'device', 'devices')} would be revoked permanently`,
    },
    unchanged: (count: number): string => `${number(count)} would stay unchanged`,
    refused: (count: number): string => `${number(count)} would be refused`,
    first: (count: number): string => (count === 1 ? 'Device:' : `First ${number(count)}:`),
    whyRefused: 'Reasons for refusals',
    refusedColumns: { device: 'Device', why: 'Reason' },
    asCsv: 'Export all as CSV',
    undone: 'This cannot be undone.',
    reason: 'Reason',
    reasonHint: 'One line of up to 200 characters. Rejected devices show it.',
    reasonRevoke: 'Reason (optional)',
    do: {
      approve: 'Approve devices',
      reject: 'Reject devices',
      release: 'Release devices',
      revoke: 'Revoke devices',
    },
    none: 'No devices match any more.',
    back: 'Back to the list',
    made: (count: number): string => `Job created for ${counted(count, 'device', 'devices')}.`,
    noVerb: 'The address contains no action. Select devices in the list.',
    noneSelected: 'No devices selected. Select some in the list, or filter it.',
  },
} as const
