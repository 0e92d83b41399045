/**
 * Runs the service in several processes on one port: starts them, replaces those that die, and stops them together.
 *
 * The workers accept connections themselves, from a shared socket. A connection that waits for a killed worker is
 * accepted by another, and requests never pass through the supervisor.
 */
import cluster, { type Worker } from 'node:cluster'
import { createServer } from 'node:net'
import { isSea } from 'node:sea'
import { WorkersFailed } from '../errors.ts'
import type { Counters } from '../limits/counters.ts'
import type { Log } from '../telemetry/log.ts'
import type { WorkerMetrics } from '../telemetry/worker-metrics.ts'
import type { ServedTls, TlsSource } from '../tls/served-tls.ts'
import { type BackOff, backOff } from './back-off.ts'
import { type FromSupervisor, type FromWorker, isOurs, type Listening } from './messages.ts'
import { environmentOfWorker } from './one-release.ts'

export interface SuperviseOptions {
  readonly workers: number
  readonly host: string
  /** 0 for a free port, the same for all workers. */
  readonly port: number
  readonly log: Log
  /** Counts for all workers. */
  readonly counters: Counters
  /** The release of the supervisor, with which its workers compare theirs. */
  readonly release: string
  /** The exit code of a worker of another release, and then of the supervisor. */
  readonly replacedCode: number
  /** The exit code of a worker whose database was unavailable. */
  readonly waitingCode: number
  /** How long workers may take to exit. */
  readonly patienceMs: number
  /** The certificate that the workers serve; undefined without TLS. `reload` reads it again. */
  readonly tls: (TlsSource & { reload(): unknown }) | undefined
  /** The address that serves the metrics of all workers; undefined if there are none. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined
  /** Called once, when the first worker listens, with `http://HOST:PORT` and what else the worker sent. */
  readonly onListening: (origin: string, first: unknown) => void
  /** Resolves when to stop. */
  readonly signal: Promise<NodeJS.Signals | undefined>
}

/** How long a worker may take to answer with its metrics. */
const METRICS_PATIENCE_MS = 2_000
/** The exit code for a worker without one. */
const FAULT = 5

/**
 * Resolves once all workers have finished after a signal. Rejects with the system's error if the address is not
 * available, and with {@link WorkersFailed} if workers do not start, keep dying, do not exit, or are of another release.
 */
export async function supervise(options: SuperviseOptions): Promise<void> {
  const crew = new Crew(options)
  // Comes before everything else, because the signal may have arrived while the database was migrated.
  void options.signal.then((signal) => {
    options.log.info({ signal }, 'finishing the requests in flight')
    crew.stop()
  })
  options.tls?.follow((served) => crew.tellTls(served))
  await tryAddress(options.host, options.port)
  // Avoids round-robin, which loses a connection together with the worker that just got it.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  if (isSea()) setupOneFileProgram()
  const served = await serveMetricsOf(crew, options)
  await crew.run().finally(() => served?.close())
}

/**
 * A worker runs the supervisor's command line. Node starts a worker as `node SCRIPT WORDS`, and the one-file program is
 * node and script in one, so the first word takes the place of the script. The program has its own Node options.
 */
function setupOneFileProgram(): void {
  const [exec = '', ...args] = process.argv.slice(2)
  cluster.setupPrimary({ exec, args, execArgv: [] })
}

/** Serves the metrics of all workers. Loads the code only if needed, to keep the supervisor small. */
async function serveMetricsOf(crew: Crew, { metrics, log }: SuperviseOptions) {
  if (!metrics) return undefined
  const { serveMetrics } = await import('../telemetry/metrics-server.ts')
  const { workerMetrics } = await import('../telemetry/worker-metrics.ts')
  return serveMetrics(
    metrics,
    workerMetrics(() => crew.metrics()),
    log,
  )
}

/** Reports an unavailable address once, instead of from every worker. */
async function tryAddress(host: string, port: number): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen(port, host, () => probe.close(() => resolve()))
  })
}

/** The place of a worker and its replacements. */
interface Place {
  readonly backOff: BackOff
  worker?: Worker
  /** When the worker began to listen, on the monotonic clock. */
  listenedAt?: number | undefined
  /** Runs until the worker is replaced. */
  timer?: NodeJS.Timeout
}

class Crew {
  readonly #options: SuperviseOptions
  readonly #places: Place[]
  readonly #end = Promise.withResolvers<void>()
  #port: number
  /** The requests for metrics that wait for an answer, by id. */
  readonly #asking = new Map<number, (metrics: WorkerMetrics) => void>()
  #asked = 0
  #origin: string | undefined
  #stopping = false
  #failure: WorkersFailed | undefined

  constructor(options: SuperviseOptions) {
    this.#options = options
    this.#port = options.port
    this.#places = Array.from({ length: options.workers }, () => ({
      backOff: backOff({ waitingCode: options.waitingCode }),
    }))
  }

  /**
   * Starts the workers, unless it was stopped before. The first worker creates what is created once: the directory, the
   * secret key, the schema, the first keys. The others start when it listens.
   */
  run(): Promise<void> {
    const [first] = this.#places
    if (!this.#stopping && first) this.#fill(first)
    return this.#end.promise
  }

  /** Returns the metrics of each worker by place; undefined for a worker that is gone or does not answer in time. */
  metrics(): Promise<readonly (WorkerMetrics | undefined)[]> {
    // Does not ask a worker that is still starting, because it would answer late.
    return Promise.all(
      this.#places.map(({ worker, listenedAt }, at) =>
        worker && listenedAt !== undefined ? this.#metricsOf(worker, String(at + 1)) : undefined,
      ),
    )
  }

  async #metricsOf(worker: Worker, place: string): Promise<WorkerMetrics | undefined> {
    const id = ++this.#asked
    const { promise, resolve } = Promise.withResolvers<WorkerMetrics | undefined>()
    const timer = setTimeout(() => resolve(undefined), METRICS_PATIENCE_MS)
    this.#asking.set(id, resolve)
    tell(worker, { ratafia: 'metrics', id, place })
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#asking.delete(id)
    }
  }

  /** A worker that still loads its code asks for the certificate later. */
  tellTls(served: ServedTls): void {
    for (const { worker } of this.#places) if (worker) tell(worker, { ratafia: 'tls', served })
  }

  /** Lets every worker finish. With `failure`, `run` rejects with it. */
  stop(failure?: WorkersFailed): void {
    if (this.#stopping) return
    this.#stopping = true
    this.#failure = failure
    for (const { worker, timer, listenedAt } of this.#places) {
      clearTimeout(timer)
      if (!worker) continue
      // A worker that still loads its code does not receive messages, but exits on a signal.
      if (listenedAt === undefined) worker.process.kill('SIGTERM')
      else tell(worker, { ratafia: 'stop' })
    }
    setTimeout(() => this.#kill(), this.#options.patienceMs).unref()
    this.#endIfEmpty()
  }

  #kill(): void {
    for (const { worker } of this.#places) worker?.process.kill('SIGKILL')
  }

  #fill(place: Place): void {
    const worker = cluster.fork({
      ...environmentOfWorker(this.#options.release),
      RATAFIA_PORT: String(this.#port),
    })
    place.worker = worker
    place.listenedAt = undefined
    worker.on('message', (message: unknown) => {
      // The cast is safe: only our own workers are on the other side.
      if (isOurs(message)) this.#hear(place, worker, message as FromWorker)
    })
    // A message to a worker that just died also emits `exit`. A worker that could not be started emits only this event.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) this.#ended(place, worker, undefined, error)
    })
    worker.once('exit', (code: number | null) => this.#ended(place, worker, code ?? undefined))
  }

  async #take(worker: Worker, { id, asked }: Extract<FromWorker, { ratafia: 'take' }>): Promise<void> {
    const { counters } = this.#options
    const taken = await Promise.all(asked.map((counted) => counters.take(counted)))
    tell(worker, { ratafia: 'taken', id, taken })
  }

  #hear(place: Place, worker: Worker, message: FromWorker): void {
    switch (message.ratafia) {
      case 'listening':
        this.#listens(place, worker, message)
        return
      case 'take':
        void this.#take(worker, message)
        return
      case 'give-back':
        this.#options.counters.giveBack(message.counted)
        return
      case 'tls':
        if (this.#options.tls) tell(worker, { ratafia: 'tls', served: this.#options.tls.current() })
        return
      case 'reload':
        this.#options.tls?.reload()
        return
      case 'metrics':
        this.#asking.get(message.id)?.(message.metrics)
    }
  }

  #listens(place: Place, worker: Worker, { release, origin, first }: Listening): void {
    // Only a worker of code without this rule gets here.
    if (release !== this.#options.release) {
      this.#stopForOtherRelease(worker)
      return
    }
    const isFirst = this.#origin === undefined
    this.#origin ??= origin
    if (origin !== this.#origin) {
      // The last worker on the port died while this worker started, so this worker got a different port.
      this.#keepPort(this.#origin)
      worker.process.kill('SIGKILL')
      return
    }
    place.listenedAt = performance.now()
    this.#options.log.info({ worker: worker.process.pid }, 'a worker is listening')
    if (isFirst && !this.#stopping) {
      this.#options.onListening(origin, first)
      for (const other of this.#places.slice(1)) this.#fill(other)
    }
  }

  /** Gives new workers the port of the first one, if the system chose it. */
  #keepPort(origin: string): void {
    this.#port ||= Number(new URL(origin).port)
  }

  /** `error` is why the worker could not be started. */
  #ended(place: Place, worker: Worker, exitCode: number | undefined, error?: Error): void {
    if (place.worker !== worker) return
    const listenedFor = place.listenedAt === undefined ? undefined : performance.now() - place.listenedAt
    delete place.worker
    place.listenedAt = undefined
    const { pid, signalCode } = worker.process
    const said = { worker: pid, exitCode, signal: signalCode ?? undefined, ...(error && { err: error }) }
    if (this.#stopping) {
      // The signal itself terminates a worker that still loads its code.
      const stoppedEarly = listenedFor === undefined && /^SIG(TERM|INT)$/.test(said.signal ?? '')
      if (exitCode !== 0 && exitCode !== this.#options.replacedCode && !stoppedEarly) {
        this.#options.log.error(said, 'a worker did not finish')
        this.#failure ??= new WorkersFailed('a worker did not finish its requests', exitCode ?? FAULT)
      }
      this.#endIfEmpty()
      return
    }
    if (exitCode === this.#options.replacedCode) {
      this.#stopForOtherRelease(worker, exitCode)
      return
    }
    // The address has not been printed yet.
    if (this.#origin === undefined) {
      // A worker with an exit code has printed why.
      if (!exitCode) this.#options.log.error(said, 'a worker exited before it was listening')
      this.stop(new WorkersFailed('a worker exited before it was listening', exitCode || FAULT, !!exitCode))
      return
    }
    // The socket is closed, so with a port that the system chose, the next worker would get another one.
    if (this.#places.every(({ listenedAt }) => listenedAt === undefined)) {
      this.#keepPort(this.#origin)
    }
    const wait = place.backOff.after({ listenedFor, exitCode })
    if (wait === 'give-up') {
      this.#options.log.fatal(said, 'workers die as soon as they start')
      this.stop(new WorkersFailed('workers die as soon as they start', exitCode || FAULT))
      return
    }
    this.#options.log.error({ ...said, wait }, 'a worker died and will be replaced')
    place.timer = setTimeout(() => this.#fill(place), wait)
  }

  /** Ends the node, so that its service manager starts the release that is installed now. */
  #stopForOtherRelease(worker: Worker, exitCode?: number): void {
    if (this.#stopping) return
    const { log, replacedCode } = this.#options
    const message = 'another release replaced the program while it ran'
    log.warn(
      { worker: worker.process.pid, exitCode },
      `${message}: finishing the requests in flight, then exiting with code ${replacedCode}. A service manager starts the new release; without one, start it yourself.`,
    )
    this.stop(new WorkersFailed(message, replacedCode, true))
  }

  #endIfEmpty(): void {
    if (this.#places.some(({ worker }) => worker)) return
    if (this.#failure) this.#end.reject(this.#failure)
    else this.#end.resolve()
  }
}

function tell(worker: Worker, message: FromSupervisor): void {
  // With a callback, an error emits no event: a dead worker does not need the message.
  if (worker.isConnected()) worker.send(message, () => {})
}
