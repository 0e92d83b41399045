/**
 * The metrics of the service, in a registry that `start/` creates and passes to everything that reports.
 *
 * The values of labels are ours (routes, codes, tasks) and never from a client, because each value creates a permanent
 * series.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type OidcMetrics, oidcMetrics } from './oidc-metrics.ts'
import { requestMetrics } from './request-metrics.ts'

interface AnsweredRequest {
  readonly method: string
  /** The pattern of the route; undefined if none matches. */
  readonly route: string | undefined
  /** 499 if the client disconnected before the answer. */
  readonly status: number
  /** The error code in the body, if there is one. */
  readonly refusal: string | undefined
  readonly seconds: number
}

/** Values that are read for each scrape. Each is absent if the service does not have it. */
interface Watched {
  readonly connections: () => { readonly open: number; readonly inFlight: number }
  readonly pool: () => Readonly<Record<'most' | 'open' | 'idle' | 'waiting', number>>
  readonly signing: () => { readonly active: number; readonly waiting: number; readonly refused: number }
  /**
   * Whether caches can be used. `lag` is in milliseconds, infinite if the node receives no changes. `unannounced`
   * counts the tables whose changes it may not receive: all tables while it receives none.
   */
  readonly changes: () => { current(): boolean; lag(): number; unannounced(): number }
  /** How far this machine's clock is ahead of the database's, in milliseconds. */
  readonly clockAhead: () => number
  /** When the service's own certificate expires, in milliseconds since 1970; undefined without TLS. */
  readonly certificateUntil: () => number | undefined
  /** The state of each cache by its name. */
  readonly caches: () => ReadonlyMap<
    string,
    () => Readonly<Record<'size' | 'hits' | 'misses' | 'bypassed', number>>
  >
}

export interface Metrics extends OidcMetrics {
  readonly registry: Registry
  answered(request: AnsweredRequest): void
  /** Counts requests that were refused before they reached the application, by code. */
  refusedEarly(code: string, times?: number): void
  /** `kind` is the first verb of the statement, or `other`. */
  statement(kind: string, outcome: 'ok' | 'failed' | 'unavailable', seconds: number): void
  /** Records the wait for a connection to the database. */
  acquired(outcome: 'ok' | 'unavailable', seconds: number): void
  signed(outcome: 'ok' | 'failed', seconds: number): void
  /** Replaces the previous values, so that removed keys lose their series. `remaining` is in seconds. */
  signingKeys(
    keys: readonly { readonly accountId: string; readonly keyId: string; readonly remaining: number }[],
  ): void
  /** Counts recorded evidence of a clone, by kind. */
  cloneSeen(kind: string, times?: number): void
  /** Sets the counts of the whole register, and replaces the previous values. */
  suspects(devices: {
    readonly withEvidence: ReadonlyMap<string, number>
    readonly inQuarantine: number
  }): void
  /** Counts a run of a task that removes expired rows. Not called `job`, which is a label of Prometheus. */
  retained(task: string, outcome: 'ok' | 'failed', removed: number): void
  /** Counts reminders about expiry, by `mail` or `webhook`. */
  reminded(channel: string, outcome: string, count: number): void
  watch(watched: Partial<Watched>): void
}

export interface MetricsOptions {
  readonly release: string
  /** Whether to add memory, event loop and garbage collection of the process, which have a small constant cost. */
  readonly ofProcess: boolean
}

/** The buckets for signing, in seconds. */
const SIGNATURES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const STATEMENTS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5, 15]

export function createMetrics({ release, ofProcess }: MetricsOptions): Metrics {
  const registry = new Registry()
  if (ofProcess) collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const watched: { -readonly [Name in keyof Watched]?: Watched[Name] } = {}
  const counter = <const T extends string>(name: string, help: string, labelNames: readonly T[]) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = <const T extends string>(
    name: string,
    help: string,
    labelNames: readonly T[],
    buckets: number[],
  ) => new Histogram({ name, help, labelNames, buckets, registers })
  const gauge = <const T extends string>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Gauge({ name, help, labelNames, registers })

  const requests = requestMetrics(registry)
  const refusals = counter('ratafia_refusals_total', 'Refused requests, by the code in the answer', [
    'route',
    'code',
  ])
  const early = counter(
    'ratafia_http_refused_early_total',
    'Requests refused before they reached the application: not HTTP, too large, too late, or too many',
    ['code'],
  )
  const statements = counter('ratafia_database_statements_total', 'Statements, by kind and outcome', [
    'kind',
    'outcome',
  ])
  const statementSeconds = histogram(
    'ratafia_database_statement_duration_seconds',
    'The time from a statement to its answer',
    ['kind'],
    STATEMENTS,
  )
  const waits = histogram(
    'ratafia_database_wait_seconds',
    'The wait for a connection to the database',
    ['outcome'],
    STATEMENTS,
  )
  const up = gauge('ratafia_database_up', '1: the database answered the last query; 0: it did not')
  const signatures = histogram(
    'ratafia_signing_duration_seconds',
    'The time from when a registration leaves the signing queue until its serial is signed and stored',
    ['outcome'],
    SIGNATURES,
  )
  const keyLives = gauge(
    'ratafia_signing_key_remaining_seconds',
    'How long a key can still sign serials; 0: disabled, expired or not trusted; a century: the key does not expire',
    ['account', 'key'],
  )
  const clones = counter(
    'ratafia_clone_evidence_total',
    'Sightings that suggest a clone of a device, by kind of evidence',
    ['kind'],
  )
  const suspects = gauge(
    'ratafia_devices_with_clone_evidence',
    'Devices in the register with evidence of a clone, by kind',
    ['kind'],
  )
  const inQuarantine = gauge(
    'ratafia_devices_in_quarantine',
    'Devices in the register that cannot open a session until they are released',
  )
  const tasks = counter('ratafia_retention_runs_total', 'Runs of the tasks that remove expired rows', [
    'task',
    'outcome',
  ])
  const removed = counter('ratafia_retention_removed_rows_total', 'Rows removed by these tasks', ['task'])
  const reminders = counter(
    'ratafia_reminders_total',
    'Reminders about expiry, by channel; retried: an attempt failed; dropped: no longer needed',
    ['channel', 'outcome'],
  )
  gauge('ratafia_build_info', 'The release and the version of Node', ['version', 'node']).set(
    { version: release, node: process.versions.node },
    1,
  )
  addWatched(registry, watched)

  return {
    ...oidcMetrics(registry),
    registry,
    answered: ({ method, route = UNROUTED, status, refusal, seconds }) => {
      const known = METHODS.has(method) ? method : 'other'
      requests.add({ method: known, route, status, seconds })
      if (refusal !== undefined) refusals.inc({ route, code: refusal })
    },
    refusedEarly: (code, times = 1) => early.inc({ code }, times),
    statement: (kind, outcome, seconds) => {
      statements.inc({ kind, outcome })
      statementSeconds.observe({ kind }, seconds)
      up.set(outcome === 'unavailable' ? 0 : 1)
    },
    acquired: (outcome, seconds) => {
      waits.observe({ outcome }, seconds)
      if (outcome === 'unavailable') up.set(0)
    },
    signed: (outcome, seconds) => signatures.observe({ outcome }, seconds),
    signingKeys: (keys) => {
      keyLives.reset()
      for (const { accountId, keyId, remaining } of keys) {
        keyLives.set({ account: accountId, key: keyId }, remaining)
      }
    },
    cloneSeen: (kind, times = 1) => clones.inc({ kind }, times),
    suspects: (devices) => {
      suspects.reset()
      for (const [kind, count] of devices.withEvidence) suspects.set({ kind }, count)
      inQuarantine.set(devices.inQuarantine)
    },
    retained: (task, outcome, rows) => {
      tasks.inc({ task, outcome })
      removed.inc({ task }, rows)
    },
    reminded: (channel, outcome, count) => reminders.inc({ channel, outcome }, count),
    watch: (more) => {
      Object.assign(watched, more)
    },
  }
}

const UNROUTED = '(none)'
/** Node's parser knows about thirty more methods, which do not need their own series. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** Stands for "receives no changes", because a metric cannot be infinite. */
const NEVER_SECONDS = 1e9

/** Adds gauges and counters whose values are kept elsewhere and read for each scrape. */
function addWatched(registry: Registry, watched: Partial<Watched>): void {
  const registers = [registry]
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const value = read()
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  gauge('ratafia_http_connections', 'Open connections', () => watched.connections?.().open)
  gauge(
    'ratafia_http_requests_in_flight',
    'Requests that are not answered yet',
    () => watched.connections?.().inFlight,
  )
  gauge('ratafia_database_connections', 'Open connections to the database', () => watched.pool?.().open)
  gauge('ratafia_database_connections_idle', 'Idle connections to the database', () => watched.pool?.().idle)
  gauge(
    'ratafia_database_connections_max',
    'The maximum number of open connections',
    () => watched.pool?.().most,
  )
  gauge(
    'ratafia_database_waiting',
    'Statements and transactions waiting for a connection',
    () => watched.pool?.().waiting,
  )
  gauge('ratafia_signing_active', 'Registrations being signed now', () => watched.signing?.().active)
  gauge('ratafia_signing_waiting', 'Registrations waiting to be signed', () => watched.signing?.().waiting)
  gauge(
    'ratafia_revocation_lag_seconds',
    'How far this node may lag behind revocations and other changes; 1e9: it receives none',
    () => seconds(watched.changes?.().lag()),
  )
  gauge('ratafia_cache_usable', '1: caches can be used; 0: every request queries the database', () =>
    watched.changes ? Number(watched.changes().current()) : undefined,
  )
  gauge(
    'ratafia_cache_unannounced_tables',
    'Tables whose changes may be missed, so their rows are read for each request; all tables while no changes are received',
    () => watched.changes?.().unannounced(),
  )
  gauge(
    'ratafia_clock_ahead_seconds',
    "How far the clock of this machine is ahead of the database's, as far as is certain; negative: behind",
    () => seconds(watched.clockAhead?.()),
  )
  gauge(
    'ratafia_tls_certificate_expiry_timestamp_seconds',
    "When the service's own certificate expires, as Unix time; absent without TLS",
    () => seconds(watched.certificateUntil?.()),
  )
  new Counter({
    name: 'ratafia_signing_refused_total',
    help: 'Registrations that got 503 because too many were waiting',
    registers,
    collect() {
      this.reset()
      this.inc(watched.signing?.().refused ?? 0)
    },
  })
  new Gauge({
    name: 'ratafia_cache_entries',
    help: 'Entries in the cache',
    labelNames: ['cache'],
    registers,
    collect() {
      for (const [cache, state] of watched.caches?.() ?? []) this.set({ cache }, state().size)
    },
  })
  new Counter({
    name: 'ratafia_cache_lookups_total',
    help: 'Look-ups; bypassed: the cache could not be trusted, so the database was queried',
    labelNames: ['cache', 'outcome'],
    registers,
    collect() {
      this.reset()
      for (const [cache, state] of watched.caches?.() ?? []) {
        const { hits, misses, bypassed } = state()
        this.inc({ cache, outcome: 'hit' }, hits)
        this.inc({ cache, outcome: 'miss' }, misses)
        this.inc({ cache, outcome: 'bypassed' }, bypassed)
      }
    },
  })
}

function seconds(milliseconds: number | undefined): number | undefined {
  if (milliseconds === undefined) return undefined
  return Number.isFinite(milliseconds) ? milliseconds / 1000 : NEVER_SECONDS
}
