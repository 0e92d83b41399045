/** Runs the processes of the service: a single one, or a supervisor with its workers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { announcement, type FirstStep } from '../../cli/announcement.ts'
import { EXIT } from '../../cli/context.ts'
import { monotonicClock } from '../../clock.ts'
import { noSetupReason } from '../../config/setup.ts'
import { configWarnings } from '../../config/warnings.ts'
import { passesSoon } from '../../database/errors/passing.ts'
import { RequestError, Unavailable } from '../../errors.ts'
import { type Counters, localCounters } from '../../limits/counters.ts'
import { type InWorker, inWorker } from '../../workers/in-worker.ts'
import { limitHeap, limitOldGeneration } from '../heap-limits.ts'
import type { ServiceOptions } from '../options.ts'
import { releaseAndCommit } from '../release/build.ts'
import { Stopped, stopOf } from '../stopping.ts'
import type { RunningService } from './service.ts'

/** The options of a process of the service. */
type ServeOptions = ServiceOptions & {
  readonly stop: AbortSignal
  /** Whether what the installation needs first is printed for this process. Default: no. */
  readonly announces?: boolean
}

/**
 * Serves until `stop` is aborted. Calls `say` with the announcement for the user once the service listens. A worker
 * also runs this function, because its supervisor starts the same program with the same arguments.
 */
export async function serve(options: ServeOptions, say: (text: string) => void): Promise<void> {
  const worker = inWorker({ fallback: countersOfProcess(), release: releaseAndCommit() })
  if (!worker) for (const warning of configWarnings(options.config)) options.log.warn(warning)
  try {
    if (worker) await serveInWorker(options, worker)
    else if (options.config.workers > 1) await serveWithWorkers(options, say)
    else await serveAlone(options, say)
  } finally {
    endSoon()
  }
}

/** Uses the monotonic clock, because setting back the system's clock would refuse every request for that long. */
const countersOfProcess = (): Counters => localCounters({ clock: monotonicClock })

/** Ends the process soon: the exporter of traces may wait for a collector longer than a service manager would. */
const endSoon = (): void => void setTimeout(() => process.exit(), 500).unref()

async function serveAlone(options: ServeOptions, say: (text: string) => void): Promise<void> {
  const begun = await start({ ...options, announces: true, counters: countersOfProcess(), jobs: true })
  if (!begun) return
  const { service, first } = begun
  try {
    say(announcementOf(service.origin, first, options))
    const signal = await stopOf(options.stop)
    options.log.info({ signal }, 'finishing the requests in flight')
  } finally {
    await service.close()
  }
}

/** Longer than a worker waits for its requests before it disconnects them. */
const WORKER_PATIENCE_MS = 28_000

async function serveWithWorkers(options: ServeOptions, say: (text: string) => void): Promise<void> {
  const { config, log, stop } = options
  limitOldGeneration()
  const { supervise } = await import('../../workers/supervise.ts')
  const { tls: files } = config
  // Workers get it from here: one that replaces another needs the certificate even if the files are damaged by then.
  const tls = files && (await (await import('./tls-files.ts')).watchTlsFiles({ ...config, tls: files }, log))
  await supervise({
    ...config,
    log,
    tls,
    counters: countersOfProcess(),
    release: releaseAndCommit(),
    waitingCode: EXIT.unavailable,
    replacedCode: EXIT.replaced,
    patienceMs: config.shutdownDelay + WORKER_PATIENCE_MS,
    // The cast is safe: our own worker sent it.
    onListening: (origin, first) => say(announcementOf(origin, first as FirstStep, options)),
    signal: stopOf(stop),
  }).finally(() => tls?.stop())
}

async function serveInWorker(options: ServeOptions, worker: InWorker): Promise<void> {
  // A terminal or a service manager may signal every process, and the supervisor sends a message to its workers.
  const told = new AbortController()
  void worker.stopped.then(() => told.abort(new Stopped()))
  const stop = AbortSignal.any([options.stop, told.signal])
  try {
    const tls = options.config.tls && (await worker.tls())
    const begun = await start({
      ...options,
      announces: worker.isFirst,
      ...(tls && { tls }),
      stop,
      counters: worker.counters,
      // Only the first worker updates the schema, because the others may be of an older release than the schema by now.
      schema: worker.isFirst ? 'update' : 'keep',
      jobs: true,
      shareMetrics: ({ registry }) =>
        worker.shareMetrics((place) => {
          registry.setDefaultLabels({ worker: place })
          return registry.metrics()
        }),
    })
    if (!begun) return
    worker.listening(begun.service.origin, begun.first)
    await stopOf(stop)
    await begun.service.close()
  } finally {
    worker.leave()
  }
}

/** Allows for slow disks and busy machines, as a running node does. */
const SLOW_DATABASE_MS = 60_000
const RETRY_MS = 500
/** Short, because neither a migration nor work that waits for the database is left half done when the process exits. */
const STOP_MS = 500

/** Starts the service; retries while its database is busy. Returns undefined if it was stopped before it listened. */
async function start(options: ServeOptions): Promise<Begun | undefined> {
  const { stop, log } = options
  let started = false
  void stopOf(stop).then((signal) => {
    if (started) return
    log.info({ signal }, 'stopping before the service is ready')
    setTimeout(() => started || process.exit(EXIT.done), STOP_MS).unref()
  })
  for (const deadline = performance.now() + SLOW_DATABASE_MS; ; ) {
    try {
      stop.throwIfAborted()
      const begun = await begin(options)
      started = true
      limitHeap()
      return begun
    } catch (error) {
      if (stop.aborted) return undefined
      if (!(error instanceof Unavailable) || !passesSoon(error) || performance.now() > deadline) throw error
      log.warn({ err: error }, 'the database is slow: retrying the start')
    }
    await sleep(RETRY_MS, undefined, { signal: stop }).catch(() => {})
  }
}

interface Begun {
  readonly service: RunningService
  readonly first: FirstStep
}

/** Loads and starts the service. A supervisor does not load it, because that would double its memory. */
async function begin(options: ServeOptions): Promise<Begun> {
  const { startService } = await import('./service.ts')
  const service = await startService(options)
  try {
    return { service, first: options.announces ? await firstStep(service, options) : READY }
  } catch (error) {
    await service.close()
    throw error
  }
}

const READY: FirstStep = { step: 'ready' }

/** Finds out what the installation needs first, and creates the setup link if it is to be printed. */
async function firstStep(
  { installation, baseUrl }: RunningService,
  { config, identityOnly, printsSetupLink }: ServeOptions,
): Promise<FirstStep> {
  if (config.identity || (await installation.setupLinks.someoneExists())) return READY
  if (identityOnly || noSetupReason(config) !== undefined) return { step: 'account' }
  if (!printsSetupLink) return { step: 'setup', link: undefined }
  const { makeSetupLink, setupAddress } = await import('../../identity/setup/setup-link.ts')
  try {
    return { step: 'setup', link: setupAddress(baseUrl, await makeSetupLink(installation, installation)) }
  } catch (error) {
    // An account was created at this moment.
    if (error instanceof RequestError) return READY
    throw error
  }
}

function announcementOf(
  origin: string,
  first: FirstStep,
  { config, identityOnly = false }: ServiceOptions,
): string {
  const { database, dataDirectory, baseUrl = origin, management } = config
  const hasConsole = management.enabled && management.console
  const serves = identityOnly ? 'identity' : hasConsole ? 'console' : 'service'
  return announcement({ origin, baseUrl, database, dataDirectory, serves, first })
}
