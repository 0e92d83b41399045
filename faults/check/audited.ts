/**
 * The audit log and the database say the same: every change has its entry, and every entry its change. Tables of what a
 * row needs, and of what an entry says; an action that is in neither is a finding, so a new one gets its row here.
 */
import type { Row, Tables } from '../world/tables.ts'

/** Who revoked what the suite revokes in the database itself: the service wrote no entry of it. */
export const REVOKED_BY_FAULTS = 'faults'

interface Entry {
  readonly action: string
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
}

interface Log {
  readonly entries: readonly Entry[]
  /** Whether one of these actions has an entry about the subject. */
  has(subject: unknown, ...actions: readonly string[]): boolean
  rows(table: string): readonly Row[]
  /** The last row with this value. */
  find(table: string, column: string, value: unknown): Row | undefined
}

/** Of each row: what is not in the log, as `ACTION of SUBJECT`. */
const NEEDED: Readonly<Record<string, (row: Row, log: Log) => Iterable<string>>> = {
  *token_session({ session_id: id, revoked_at: revoked, revoked_by: by, rule_id: rule }, log) {
    if (!log.has(id, 'token.open', 'publisher.minted')) yield `the opening of session ${id}`
    // A rule that ends revokes its sessions in one entry, which counts them: see `sessionsOfRules`.
    if (revoked !== null && rule === null && by !== REVOKED_BY_FAULTS && !log.has(id, 'token.revoke')) {
      yield `the revocation of session ${id}`
    }
  },
  *device({ id, status }, log) {
    const made = ['device.register', 'device.wait', 'device.enter', 'devices.import']
    if (!log.has(id, ...made)) yield `the registration of device ${id}`
    const [needs] = DECIDED.filter((one) => one.status === status)
    if (needs && !log.has(id, ...needs.actions)) yield `that device ${id} became ${status}`
  },
  *publisher_rule({ name, disabled_at: disabled }, log) {
    if (!log.has(name, 'publisher.add')) yield `the rule ${name}`
    if (disabled !== null && !log.has(name, 'publisher.disable')) yield `that the rule ${name} was disabled`
  },
  *oidc_issuer({ url }, log) {
    if (!log.has(url, 'issuer.add')) yield `the issuer ${url}`
  },
  *account({ username, disabled_at: disabled, logins_since: since }, log) {
    if (!log.has(username, 'account.add')) yield `the account ${username}`
    if (disabled !== null && !log.has(username, 'account.disable')) yield `that ${username} was disabled`
    if (since !== null && !log.has(username, 'token.revoke-all', 'account.disable'))
      yield `that ${username}'s logins ended`
  },
  *agent({ name }, log) {
    if (!log.has(name, 'agent.add')) yield `the agent ${name}`
  },
  *role_grant({ subject, role }, log) {
    const { username } = log.find('account', 'id', subject) ?? {}
    if (grants(log, String(username), String(role)) !== 1) yield `the role ${role} of ${username}`
  },
  *job({ id, ended_at: ended }, log) {
    if (!log.has(id, 'job.add')) yield `the job ${id}`
    if (ended !== null && !log.has(id, 'job.end')) yield `the end of job ${id}`
  },
}

const DECIDED: readonly { readonly status: string; readonly actions: readonly string[] }[] = [
  { status: 'active', actions: ['device.register', 'device.approve', 'device.enter'] },
  { status: 'pending', actions: ['device.wait'] },
  { status: 'rejected', actions: ['device.reject'] },
  { status: 'revoked', actions: ['device.revoke'] },
  { status: 'superseded', actions: ['device.supersede'] },
]

/** Whether what an entry says is so. */
const SAID: Readonly<Record<string, (entry: Entry, log: Log) => boolean>> = {
  'token.open': isRow('token_session', 'session_id'),
  'publisher.minted': isRow('token_session', 'session_id'),
  'token.revoke': isRow('token_session', 'session_id', 'revoked_at'),
  'device.register': hasStatus('active', 'revoked', 'superseded'),
  'device.approve': hasStatus('active', 'revoked', 'superseded'),
  'device.enter': hasStatus('active', 'revoked', 'superseded'),
  'device.update': hasStatus('active', 'revoked', 'superseded'),
  'device.wait': hasStatus('pending', 'rejected', 'active', 'revoked', 'superseded'),
  'device.reject': hasStatus('rejected'),
  'device.revoke': hasStatus('revoked'),
  'device.supersede': hasStatus('superseded'),
  'publisher.add': (entry, log) =>
    log.has(entry.subject, 'publisher.remove') || isRow('publisher_rule', 'name')(entry, log),
  'publisher.disable': (entry, log) =>
    log.has(entry.subject, 'publisher.remove') || isRow('publisher_rule', 'name', 'disabled_at')(entry, log),
  'publisher.remove': (entry, log) => !isRow('publisher_rule', 'name')(entry, log),
  'issuer.add': isRow('oidc_issuer', 'url'),
  'account.add': isRow('account', 'username'),
  'account.disable': isRow('account', 'username', 'disabled_at'),
  'token.revoke-all': isRow('account', 'username', 'logins_since'),
  'agent.add': isRow('agent', 'name'),
  'grant.add': grantIsThere,
  'grant.remove': grantIsThere,
  'job.add': isRow('job', 'id'),
  'job.end': isRow('job', 'id', 'ended_at'),
  'key.rotate': ({ subject }, log) => {
    const [kind, id] = subject.split(' ')
    return log.find(kind === 'root' ? 'root_key' : 'key_pair', 'id', id) !== undefined
  },
}

/** Actions of which a subject has one entry at most. */
const ONCE: ReadonlySet<string> = new Set([
  ...['token.open', 'token.revoke', 'account.add', 'account.disable', 'agent.add'],
  ...['device.register', 'device.approve', 'device.reject', 'device.revoke', 'device.wait'],
  ...['publisher.add', 'publisher.disable', 'publisher.remove', 'job.add', 'job.end', 'key.rotate'],
])

/** Entries about what has no row of its own, or that other invariants look at. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['publisher.refused', 'issuer.refresh', 'schema.migrate', 'audit.export', 'devices.export'],
  ...['database.backup', 'database.restore', 'secret.rotate', 'packages.import'],
  ...['trust.add', 'brand.add', 'model.add', 'model.allow-remodel', 'signing-key.add', 'assertion.add'],
])

export function* unaudited(tables: Tables): Iterable<string> {
  const log = logOf(tables)
  for (const [table, needs] of Object.entries(NEEDED)) {
    for (const row of log.rows(table)) {
      for (const what of needs(row, log)) yield `the audit log lacks ${what}`
    }
  }
  yield* sessionsOfRules(log)
  const seen = new Set<string>()
  for (const entry of log.entries) {
    const { action, subject } = entry
    const name = `${action} of ${subject}`
    const says = SAID[action]
    if (says && !says(entry, log)) yield `the audit log has ${name}, and it is not so`
    if (!says && !OTHERS.has(action)) yield `the checker does not know what ${action} changes`
    if (ONCE.has(action) && seen.has(name)) yield `the audit log has ${name} twice`
    seen.add(name)
  }
}

/** A rule that ends revokes sessions, and its entry says how many. */
function* sessionsOfRules(log: Log): Iterable<string> {
  const revoked = log
    .rows('token_session')
    .filter(
      ({ session_id: id, rule_id: rule, revoked_at: at, revoked_by: by }) =>
        rule !== null && at !== null && by !== REVOKED_BY_FAULTS && !log.has(id, 'token.revoke'),
    ).length
  const said = log.entries
    .filter(({ action }) => action === 'publisher.remove' || action === 'publisher.disable')
    .reduce((sum, { details }) => sum + Number(details['sessions'] ?? 0), 0)
  if (revoked !== said) yield `rules that ended revoked ${revoked} sessions, and the audit log says ${said}`
}

function logOf(tables: Tables): Log {
  const rows = (table: string) => tables.get(table) ?? []
  const entries = rows('audit_entry').map(
    ({ action, subject, details }): Entry => ({
      action: String(action),
      subject: String(subject),
      details: JSON.parse(String(details)),
    }),
  )
  const known = new Set(entries.map(({ action, subject }) => `${action} ${subject}`))
  const indexes = new Map<string, ReadonlyMap<string, Row>>()
  const index = (table: string, column: string) => {
    const name = `${table} ${column}`
    const found = indexes.get(name) ?? new Map(rows(table).map((row) => [String(row[column]), row]))
    indexes.set(name, found)
    return found
  }
  return {
    entries,
    rows,
    find: (table, column, value) => index(table, column).get(String(value)),
    has: (subject, ...actions) => actions.some((action) => known.has(`${action} ${subject}`)),
  }
}

function hasStatus(...statuses: readonly string[]): (entry: Entry, log: Log) => boolean {
  return ({ subject }, log) => statuses.includes(String(log.find('device', 'id', subject)?.['status']))
}

/** Whether a row has the subject, and `when`. */
function isRow(table: string, column: string, when?: string): (entry: Entry, log: Log) => boolean {
  return ({ subject }, log) => {
    const row = log.find(table, column, subject)
    return row !== undefined && (when === undefined || row[when] !== null)
  }
}

/** How often the role was given, less how often it was taken. */
function grants({ entries }: Log, username: string, role: string): number {
  const times = (action: string) =>
    entries.filter(
      (one) => one.action === action && one.subject === username && one.details['grant'] === role,
    ).length
  return times('grant.add') - times('grant.remove')
}

function grantIsThere({ subject, details }: Entry, log: Log): boolean {
  const role = String(details['grant'])
  const { id } = log.find('account', 'username', subject) ?? {}
  const there = log.rows('role_grant').filter((row) => row['subject'] === id && row['role'] === role).length
  return grants(log, subject, role) === there
}
