/** The processes of the service: one alone, or a supervisor with its workers. */
import { announcement } from '../../cli/announcement.ts'
import { EXIT } from '../../cli/context.ts'
import type { Installation } from '../../cli/installation.ts'
import { type Counters, localCounters } from '../../counters.ts'
import { type InWorker, inWorker } from '../../workers/in-worker.ts'
import { supervise } from '../../workers/supervise.ts'
import { openInstallation } from '../installation.ts'
import type { ServiceOptions } from '../options.ts'
import { RELEASE } from '../release.ts'
import { startService } from './service.ts'

/**
 * Serves until a signal ends it. `say` takes what a person needs to know once the service listens. A worker runs this
 * function too: its supervisor starts the same program with the same words.
 */
export async function serve(options: ServiceOptions, say: (text: string) => void): Promise<void> {
  const worker = inWorker({ fallback: countersOfProcess() })
  try {
    if (worker) await serveInWorker(options, worker)
    else if (options.config.workers > 1) await serveWithWorkers(options, say)
    else await serveAlone(options, say)
  } finally {
    endSoon()
  }
}

/** On the monotonic clock: setting the system's clock back would refuse every request for that long. */
const countersOfProcess = (): Counters => localCounters({ clock: () => new Date(performance.now()) })

/**
 * All our work is done. The exporter of traces may still wait for a collector that does not answer, longer than a
 * service manager would: do not wait for it.
 */
const endSoon = (): void => void setTimeout(() => process.exit(), 500).unref()

async function serveAlone(options: ServiceOptions, say: (text: string) => void): Promise<void> {
  const service = await startService({ ...options, counters: countersOfProcess(), jobs: true })
  const signalled = nextSignal()
  try {
    const announce = await announcer(service.installation, options)
    say(announce(service.origin))
    const signal = await signalled
    options.log.info({ signal }, 'finishing what is in flight')
  } finally {
    await service.close()
  }
}

/** Longer than a worker waits for its requests before it cuts them off. */
const WORKER_PATIENCE_MS = 28_000

async function serveWithWorkers(options: ServiceOptions, say: (text: string) => void): Promise<void> {
  const { config, log } = options
  const signal = nextSignal()
  // Made once for all workers: the directory, the secret key, the schema, the first keys.
  const installation = await openInstallation(options)
  const announce = await announcer(installation, options).finally(() => installation.close())
  await supervise({
    ...config,
    log,
    counters: countersOfProcess(),
    waitingCode: EXIT.unavailable,
    patienceMs: config.shutdownDelay + WORKER_PATIENCE_MS,
    onListening: (origin) => say(announce(origin)),
    signal,
  })
}

async function serveInWorker(options: ServiceOptions, worker: InWorker): Promise<void> {
  // From the start: a terminal or a service manager may signal every process.
  const ended = Promise.race([nextSignal(), worker.stopped])
  try {
    const service = await startService({
      ...options,
      counters: worker.counters,
      schema: 'keep',
      jobs: true,
      shareMetrics: (metrics) => worker.shareMetrics(() => metrics.registry.getMetricsAsJSON()),
    })
    worker.listening(service.origin)
    await ended
    await service.close()
  } finally {
    worker.leave()
  }
}

/** Makes the announcement once the origin is known. */
async function announcer(
  { config, accounts }: Installation,
  { identityOnly = false }: ServiceOptions,
): Promise<(origin: string) => string> {
  const { database, baseUrl } = config
  const identity = identityOnly ? 'alone' : (config.identity ?? 'bundled')
  const hasAccount = (await accounts.page({ after: undefined, limit: 1 })).length > 0
  return (origin) =>
    announcement({ origin, baseUrl: baseUrl ?? origin, release: RELEASE, database, identity, hasAccount })
}

/** Resolves with the first SIGTERM or SIGINT; a second one ends the process at once, with 1. */
function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      process.once('SIGTERM', () => process.exit(1)).once('SIGINT', () => process.exit(1))
      resolve(signal)
    }
    process.once('SIGTERM', stop).once('SIGINT', stop)
  })
}
