/** Starts the service in this process, and stops it in the opposite order. */
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { activityRecorder } from '../../activity/activity-recorder.ts'
import { clockAgreement, monotonicClock } from '../../clock.ts'
import { sendCounters } from '../../counting/send.ts'
import { keepTally, type Tally } from '../../counting/tally.ts'
import { type CacheFreshness, CHANGE_KINDS, openCacheFreshness, schemaState } from '../../database/index.ts'
import type { SeenDevice } from '../../devices/activity/device-activity.ts'
import { createApp, pathOf } from '../../http/app.ts'
import { limitBodyMemory } from '../../http/bodies/body-memory.ts'
import { clientsOf } from '../../http/client.ts'
import { healthRoutes, refuseWhile } from '../../http/health-routes.ts'
import { limitRates } from '../../http/limits/rate-limit.ts'
import { readiness } from '../../http/readiness.ts'
import { listen } from '../../http/server.ts'
import type { Installation } from '../../installation.ts'
import { leaseStore } from '../../jobs/lease-store.ts'
import { runJobs } from '../../jobs/run-jobs.ts'
import type { Keyring } from '../../keyring/keyring.ts'
import { localCounters } from '../../limits/counters.ts'
import { announcePresence } from '../../status/presence.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { createTelemetry, type Telemetry } from '../../telemetry/telemetry.ts'
import type { TlsSource } from '../../tls/served-tls.ts'
import { tokenUses, type UsedToken } from '../../tokens/activity/token-uses.ts'
import { showDemoBanner } from '../../web/demo-banner.ts'
import { openInstallation } from '../installation.ts'
import type { ServiceOptions } from '../options.ts'
import { RELEASE } from '../release/release.ts'
import { readDocsSite } from './docs-site.ts'
import { addIdentity, addService } from './features.ts'
import { jobsOf } from './jobs.ts'
import { publishMetrics } from './publish-metrics.ts'
import { reminderSenders } from './reminders.ts'

const LOOK_MS = 1_000

/**
 * Logs when the clocks of this machine and the database differ, and when they agree again. Checks at once, then every
 * second. `clockAhead` is in milliseconds.
 */
export function watchClock(clockAhead: () => number, log: Log): { stop(): void } {
  let known = clockAgreement(0)
  const look = () => {
    const aheadMs = clockAhead()
    const found = clockAgreement(aheadMs)
    const isNew = found.works !== known.works || found.serves !== known.serves
    known = found
    if (!isNew) return
    if (found.says === undefined) log.info({}, 'the clocks of this machine and the database agree again')
    else log.warn({ ahead_seconds: Math.round(aheadMs / 100) / 10 }, found.says)
  }
  look()
  const timer = setInterval(look, LOOK_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/** Returns metrics that also count refused requests and exchanges of ID tokens in the tally for administrators. */
const talliedMetrics = (metrics: Metrics, tally: Tally): Metrics => ({
  ...metrics,
  answered(request) {
    metrics.answered(request)
    if (request.refusal !== undefined) tally.add('refusals', request.refusal)
  },
  refusedEarly(code, times = 1) {
    metrics.refusedEarly(code, times)
    tally.add('refusals', code, undefined, times)
  },
  exchanged(issuer, outcome) {
    metrics.exchanged(issuer, outcome)
    tally.add('logins', outcome === 'granted' ? 'job' : 'job-refused')
  },
})

/** A listening service. */
export interface RunningService {
  /** `http://HOST:PORT` of the socket, or `https://…` with TLS. */
  readonly origin: string
  /** The URL that clients use to reach it, without a trailing slash. */
  readonly baseUrl: string
  /** The URL of the metrics, if this process serves them. */
  readonly metricsUrl: string | undefined
  readonly installation: Installation
  /** Finishes the requests in flight, then closes the database. */
  close(): Promise<void>
}

/** Starts the service or, with `identityOnly`, only the identity service. Throws the errors of `openInstallation`. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { config, log } = options
  const untallied = await createTelemetry({
    log,
    release: RELEASE,
    tracing: config.tracing,
    metrics: config.metrics !== undefined,
  })
  const opened: (() => Promise<void>)[] = [() => untallied.tracing.close()]
  const close = async () => {
    for (let next = opened.pop(); next; next = opened.pop()) await next()
  }
  try {
    const tls = options.tls ?? (await tlsFilesOf(options, opened))
    const installation = await openInstallation(options, untallied)
    opened.push(() => installation.close())
    options.stop?.throwIfAborted()
    const tally = keepTally(installation)
    const telemetry = tallied(untallied, tally)
    const { clockAhead } = installation
    const watching = watchClock(clockAhead, log)
    opened.push(async () => watching.stop())
    telemetry.metrics.watch({ clockAhead })
    const sending = sendCounters({
      ...{ tally, counters: installation.counts, ...storing(options) },
      onError: (error) => log.warn({ err: error }, 'could not store counters, and will retry'),
    })
    // Stopped after the last request, before the database is closed.
    opened.push(() => sending.stop())
    const presence = announcePresence({
      processes: installation.processes,
      process: { host: hostname(), release: RELEASE },
      onError: (error) => log.warn({ err: error }, 'could not store a heartbeat'),
    })
    opened.push(() => presence.stop())
    const metricsUrl = await publishMetrics(installation, telemetry.metrics, options, opened)
    if (options.jobs) {
      const senders = await reminderSenders(config, log)
      const jobs = runJobs(jobsOf(installation, log, telemetry, senders), {
        leases: leaseStore(installation.database),
        mayWork: () => clockAgreement(clockAhead()).works,
        onError: (error, job) => log.warn({ err: error, job }, 'a job failed, and will be retried'),
      })
      opened.push(() => jobs.stop())
    }
    return {
      ...(await listenWith({ installation, telemetry, tally, tls }, options, opened)),
      metricsUrl,
      installation,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface Started {
  readonly installation: Installation
  readonly telemetry: Telemetry
  readonly tally: Tally
  readonly tls: TlsSource | undefined
}

const tallied = ({ metrics, ...telemetry }: Telemetry, tally: Tally): Telemetry => ({
  ...telemetry,
  metrics: talliedMetrics(metrics, tally),
})

/** Returns undefined without TLS. Adds what stops it to `opened`. */
async function tlsFilesOf(
  { config, log }: ServiceOptions,
  opened: (() => Promise<void>)[],
): Promise<TlsSource | undefined> {
  const { tls: files } = config
  if (!files) return undefined
  const { watchTlsFiles } = await import('./tls-files.ts')
  const watching = await watchTlsFiles({ ...config, tls: files }, log)
  opened.push(async () => watching.stop())
  return watching
}

/** Adds functions that close what it opens to `opened`. */
async function listenWith(
  { installation, telemetry, tally, tls }: Started,
  { log, identityOnly = false, isDemo = false, stop, ...options }: ServiceOptions,
  opened: (() => Promise<void>)[],
): Promise<Pick<RunningService, 'origin' | 'baseUrl'>> {
  const { config } = installation
  const { metrics } = telemetry
  // Setting back a clock must not extend these limits.
  const { clock = monotonicClock } = options
  const { counters = localCounters({ clock }), readDocs = readDocsSite } = options
  const freshness = identityOnly ? undefined : await cacheFreshnessOf(installation, log)
  const activity = devicesSeen(installation, log, storing(options))
  const used = tokensUsed(installation, log, storing(options))
  // Stopped after the last request, before the database is closed.
  opened.push(async () => void (await Promise.all([activity.stop(), used.stop()])))
  if (freshness) {
    // Stays open until the last request is answered.
    opened.push(() => freshness.close())
    followKeys(freshness, installation.keyring, log)
    const unannounced = () => CHANGE_KINDS.filter((kind) => !freshness.current(kind)).length
    const changes = { current: () => freshness.current(), lag: () => freshness.lag(), unannounced }
    metrics.watch({ changes: () => changes, caches: () => freshness.memories })
  }
  const clients = clientsOf(config.trustedProxies)
  stop?.throwIfAborted()
  const listening = await listen(
    config.host,
    config.port,
    {
      limit: config.maxInFlight,
      networks: (request) => clients(request).networks,
      basePath: pathOf(config.baseUrl ?? 'http://localhost'),
      onRefused: (refused) => {
        metrics.refusedEarly('service-unavailable', refused)
        log.warn({ refused }, 'too many requests in flight')
      },
    },
    { connections: config.maxConnections },
    tls?.current().pair,
  )
  tls?.follow(({ pair }) => listening.renew(pair))
  metrics.watch({ certificateUntil: () => tls?.current().pair.until })
  metrics.watch({ connections: () => ({ open: listening.connections, inFlight: listening.inFlight.size }) })
  // Lets requests in flight finish.
  opened.push(() => listening.close())
  const baseUrl = config.baseUrl ?? listening.origin
  const app = createApp({
    log,
    baseUrl,
    clients,
    telemetry,
    accessLog: config.accessLog,
    serve: listening.serve,
    unanswered: listening.unanswered,
    hold: listening.hold,
    admitted: (response) => listening.inFlight.admitted(response),
  })
  // Closed first, to ask long polls to come back later.
  opened.push(() => app.close())
  const refusing = () => {
    const { serves, says } = clockAgreement(installation.clockAhead())
    return serves ? undefined : says
  }
  if (isDemo) showDemoBanner(app)
  refuseWhile(app, refusing)
  limitBodyMemory(app)
  limitRates(app, { counters, limits: config.rateLimits, clock })
  const ready = readiness({ schema: () => schemaState(installation.database), refusing })
  healthRoutes(app, ready.unready)
  // Runs before everything else, so that load balancers notice, and clients are asked to connect elsewhere.
  opened.push(async () => {
    ready.leave()
    listening.leave()
    if (config.shutdownDelay > 0) await sleep(config.shutdownDelay)
  })
  const parts = { app, baseUrl, installation, counters, telemetry, tally, tls, log }
  if (freshness)
    await addService({
      ...parts,
      freshness,
      activity,
      readDocs,
      tokenUses: tokenUses(used, { ...installation, tally }),
    })
  else await addIdentity('', parts)
  await app.ready()
  stop?.throwIfAborted()
  listening.open()
  return { origin: listening.origin, baseUrl }
}

/** The longest time of a timer, in milliseconds. */
const NEVER = 2 ** 31 - 1

/** How often to store activity or counters, besides at the end. Default: the interval of the recorder. */
interface Storing {
  readonly everyMs?: number
}

const storing = ({ jobs = false }: Pick<ServiceOptions, 'jobs'>): Storing => (jobs ? {} : { everyMs: NEVER })

const devicesSeen = ({ activities }: Installation, log: Log, when: Storing) =>
  activityRecorder<SeenDevice>({
    activities,
    ...when,
    onError: (error) => log.warn({ err: error }, 'could not store which devices were seen, and will retry'),
    onForgotten: (devices) =>
      log.warn({ devices }, 'too many devices were seen at once; for some, the time is lost'),
  })

const tokensUsed = ({ tokenActivities: activities }: Installation, log: Log, when: Storing) =>
  activityRecorder<UsedToken>({
    activities,
    ...when,
    onError: (error) => log.warn({ err: error }, 'could not store which tokens were used, and will retry'),
    onForgotten: (tokens) =>
      log.warn({ tokens }, 'too many tokens were used at once; for some, the time is lost'),
  })

function cacheFreshnessOf({ config, database }: Installation, log: Log): Promise<CacheFreshness> {
  const warn = (message: string) => log.warn(message)
  const { database: settings } = config
  if (settings.kind === 'sqlite') return openCacheFreshness(database, settings, warn)
  return openCacheFreshness(
    database,
    { kind: 'postgres', listenUrl: settings.listenUrl ?? settings.url },
    warn,
  )
}

/** Reads new keys, one read at a time. A notification during a read causes another one. */
function followKeys(freshness: Pick<CacheFreshness, 'subscribe'>, keyring: Keyring, log: Log): void {
  let reading = false
  let notified = false
  const read = async () => {
    notified = true
    if (reading) return
    reading = true
    while (notified) {
      notified = false
      await keyring.refresh().catch((err) => log.debug({ err }, 'could not read new keys, and will retry'))
    }
    reading = false
  }
  freshness.subscribe((change) => {
    // A notification without a change means that anything may have changed.
    if (!change || change.kind === 'root-key' || change.kind === 'key-pair') void read()
  })
}
