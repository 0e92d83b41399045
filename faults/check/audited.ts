/**
 * Checks that the audit log and the database agree: every change has its entry, and every entry its change. One table
 * lists the entries that a row needs, another the changes that an entry claims. An action missing from both is a
 * finding, so every new action needs a row here.
 */
import type { Row, Tables } from '../world/tables.ts'

/** The author of revocations that the suite writes to the database itself. The service has no entries for them. */
export const REVOKED_BY_FAULTS = 'faults'

interface Entry {
  readonly action: string
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
}

interface Log {
  readonly entries: readonly Entry[]
  /** Returns whether the subject has an entry with one of these actions. */
  has(subject: unknown, ...actions: readonly string[]): boolean
  rows(table: string): readonly Row[]
  /** Returns the last row with this value. */
  find(table: string, column: string, value: unknown): Row | undefined
}

/** Functions that yield what the log lacks for a row, to complete "the audit log lacks …". */
const NEEDED: Readonly<Record<string, (row: Row, log: Log) => Iterable<string>>> = {
  *token_session({ session_id: id, revoked_at: revoked, revoked_by: by, rule_id: rule }, log) {
    if (!log.has(id, 'token.open', 'publisher.minted')) yield `the opening of session ${id}`
    // A removed or disabled rule has one entry for all its revoked sessions, with their number: see `sessionsOfRules`.
    if (revoked !== null && rule === null && by !== REVOKED_BY_FAULTS && !log.has(id, 'token.revoke')) {
      yield `the revocation of session ${id}`
    }
  },
  *device({ id, status }, log) {
    const made = ['device.register', 'device.wait', 'device.enter', 'devices.import']
    if (!log.has(id, ...made)) yield `the registration of device ${id}`
    const [needs] = DECIDED.filter((one) => one.status === status)
    if (needs && !log.has(id, ...needs.actions)) yield `the change of device ${id} to ${status}`
  },
  *publisher_rule({ name, disabled_at: disabled }, log) {
    if (!log.has(name, 'publisher.add')) yield `the rule ${name}`
    if (disabled !== null && !log.has(name, 'publisher.disable')) yield `the disabling of rule ${name}`
  },
  *oidc_issuer({ url }, log) {
    if (!log.has(url, 'issuer.add')) yield `the issuer ${url}`
  },
  *account({ username, disabled_at: disabled, logins_since: since }, log) {
    if (!log.has(username, 'account.add')) yield `the account ${username}`
    if (disabled !== null && !log.has(username, 'account.disable'))
      yield `the disabling of account ${username}`
    if (since !== null && !log.has(username, 'token.revoke-all', 'account.disable'))
      yield `the revocation of all logins of ${username}`
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

/** Functions that return whether the database agrees with an entry, by its action. */
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

/** Actions that have at most one entry per subject. */
const ONCE: ReadonlySet<string> = new Set([
  ...['token.open', 'token.revoke', 'account.add', 'account.disable', 'agent.add'],
  ...['device.register', 'device.approve', 'device.reject', 'device.revoke', 'device.wait'],
  ...['publisher.add', 'publisher.disable', 'publisher.remove', 'job.add', 'job.end', 'key.rotate'],
])

/** Actions without a row of their own, and actions that other invariants check. */
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
    if (says && !says(entry, log)) yield `the audit log has ${name}, but the database disagrees`
    if (!says && !OTHERS.has(action)) yield `the checker does not know what ${action} changes`
    if (ONCE.has(action) && seen.has(name)) yield `the audit log has ${name} twice`
    seen.add(name)
  }
}

/** Compares the sessions revoked with disabled and removed rules with the numbers in the rules' entries. */
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
  if (revoked !== said) {
    yield `removed and disabled rules revoked ${revoked} sessions, but the audit log counts ${said}`
  }
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

/** Returns a check that the subject has a row, and a value in its column `when` if that is given. */
function isRow(table: string, column: string, when?: string): (entry: Entry, log: Log) => boolean {
  return ({ subject }, log) => {
    const row = log.find(table, column, subject)
    return row !== undefined && (when === undefined || row[when] !== null)
  }
}

/** Returns how many times the role was granted, minus how many times it was removed. */
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
