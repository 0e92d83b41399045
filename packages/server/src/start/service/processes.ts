/** The processes of the service: one alone, or a supervisor with its workers. */
import { announcement } from '../../cli/announcement.ts'
import { EXIT } from '../../cli/context.ts'
import type { Installation } from '../../cli/installation.ts'
import { monotonicClock } from '../../clock.ts'
import { type Counters, localCounters } from '../../counters.ts'
import { type InWorker, inWorker } from '../../workers/in-worker.ts'
import { limitHeap, limitOldGeneration } from '../heap-limits.ts'
import type { ServiceOptions } from '../options.ts'
import { RELEASE } from '../release.ts'
import type { RunningService } from './service.ts'

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
const countersOfProcess = (): Counters => localCounters({ clock: monotonicClock })

/**
 * All our work is done. The exporter of traces may still wait for a collector that does not answer, longer than a
 * service manager would: do not wait for it.
 */
const endSoon = (): void => void setTimeout(() => process.exit(), 500).unref()

async function serveAlone(options: ServiceOptions, say: (text: string) => void): Promise<void> {
  const service = await start({ ...options, counters: countersOfProcess(), jobs: true })
  const signalled = nextSignal()
  try {
    say(announcementOf(service.origin, await anyAccount(service.installation), options))
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
  limitOldGeneration()
  const { supervise } = await import('../../workers/supervise.ts')
  await supervise({
    ...config,
    log,
    counters: countersOfProcess(),
    waitingCode: EXIT.unavailable,
    patienceMs: config.shutdownDelay + WORKER_PATIENCE_MS,
    onListening: (origin, hasAccount) => say(announcementOf(origin, hasAccount, options)),
    signal,
  })
}

async function serveInWorker(options: ServiceOptions, worker: InWorker): Promise<void> {
  // From the start: a terminal or a service manager may signal every process.
  const ended = Promise.race([nextSignal(), worker.stopped])
  try {
    const service = await start({
      ...options,
      counters: worker.counters,
      // Once for all workers: an older release may run on a schema that is newer by now.
      schema: worker.isFirst ? 'update' : 'keep',
      jobs: true,
      shareMetrics: ({ registry }) =>
        worker.shareMetrics((place) => {
          registry.setDefaultLabels({ worker: place })
          return registry.metrics()
        }),
    })
    worker.listening(service.origin, await anyAccount(service.installation))
    await ended
    await service.close()
  } finally {
    worker.leave()
  }
}

/** Loads and starts the service. A supervisor does not load it: that alone would make it twice as large. */
async function start(options: ServiceOptions): Promise<RunningService> {
  const { startService } = await import('./service.ts')
  const service = await startService(options)
  limitHeap()
  return service
}

const anyAccount = async ({ accounts }: Installation): Promise<boolean> =>
  (await accounts.page({ after: undefined, limit: 1 })).length > 0

function announcementOf(
  origin: string,
  hasAccount: boolean,
  { config, identityOnly = false }: ServiceOptions,
): string {
  const { database, baseUrl = origin } = config
  const identity = identityOnly ? 'alone' : (config.identity ?? 'bundled')
  return announcement({ origin, baseUrl, release: RELEASE, database, identity, hasAccount })
}

/** Ctrl-C below npm is two signals: the terminal sends one, and npm passes its own on. */
const SAME_KEY_MS = 1_000

/** Resolves with the first SIGTERM or SIGINT; a second one ends the process at once, with 1. */
function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let interruptedAt = -Infinity
    let isStopping = false
    const stop = (signal: NodeJS.Signals) => {
      const isSame = signal === 'SIGINT' && performance.now() - interruptedAt < SAME_KEY_MS
      if (isStopping && !isSame) process.exit(1)
      if (signal === 'SIGINT' && !isSame) interruptedAt = performance.now()
      isStopping = true
      resolve(signal)
    }
    process.on('SIGTERM', stop).on('SIGINT', stop)
  })
}
