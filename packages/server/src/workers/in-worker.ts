/** A worker's side of the channel to its supervisor: counters, metrics, the certificate, and stopping. */
import cluster from 'node:cluster'
import type { Counters } from '../limits/counters.ts'
import type { WorkerMetrics } from '../telemetry/worker-metrics.ts'
import type { ServedTls, TlsSource } from '../tls/served-tls.ts'
import { type FromSupervisor, type FromWorker, isOurs } from './messages.ts'
import { sharedCounters } from './shared-counters.ts'

export interface InWorker {
  /** Counts for all workers of the machine. */
  readonly counters: Counters
  /** Resolves when the worker should finish, because the supervisor asks for it or is gone. */
  readonly stopped: Promise<void>
  /** Whether this is the supervisor's first worker. The others start once it listens. */
  readonly isFirst: boolean
  /**
   * Returns the certificate that the supervisor has read, and its changes. From now on, a SIGHUP makes the supervisor
   * read it again.
   */
  tls(): Promise<TlsSource>
  /** `first` reaches the supervisor's `onListening`. */
  listening(origin: string, first: unknown): void
  /** Sends metrics to the supervisor on request from now on. `place` is the label `worker`. */
  shareMetrics(collect: (place: string) => Promise<WorkerMetrics>): void
  /** Closes the channel to the supervisor, so that the process can exit. */
  leave(): void
}

interface InWorkerOptions {
  /** Counts while the supervisor does not answer. */
  readonly fallback: Counters
  /** The release of this worker. */
  readonly release: string
}

/** Returns undefined in a process without a supervisor. */
export function inWorker({ fallback, release }: InWorkerOptions): InWorker | undefined {
  const { worker } = cluster
  if (!worker) return undefined
  // Otherwise, Node would exit in the middle of requests when the supervisor dies.
  worker.exitedAfterDisconnect = true
  const stopped = Promise.withResolvers<void>()
  let listening = false
  let stopping = false
  let collect: ((place: string) => Promise<WorkerMetrics>) | undefined
  const send = (message: FromWorker) => {
    if (!worker.isConnected()) return false
    worker.send(message, () => {})
    return true
  }
  const firstTls = Promise.withResolvers<ServedTls>()
  const listeners: ((served: ServedTls) => void)[] = []
  const reload = () => send({ ratafia: 'reload' })
  const counters = sharedCounters({ send, fallback })
  const hear = (message: unknown) => {
    if (!isOurs(message)) return
    // The cast is safe: only the supervisor is on the other side.
    const said = message as FromSupervisor
    if (said.ratafia === 'taken') counters.answer(said.id, said.taken)
    else if (said.ratafia === 'metrics') {
      // A worker that cannot collect them sends nothing, and the supervisor waits as long as for a worker that hangs.
      collect?.(said.place).then(
        (metrics) => send({ ratafia: 'metrics', id: said.id, metrics }),
        () => {},
      )
    } else if (said.ratafia === 'tls') {
      firstTls.resolve(said.served)
      for (const listener of listeners) listener(said.served)
    } else {
      stopping = true
      stopped.resolve()
    }
  }
  const orphaned = () => {
    // If we were finishing, the supervisor does not wait for us any more; if we do not listen yet, only it can give us
    // a port.
    if (stopping || !listening) process.exit(1)
    stopped.resolve()
  }
  process.on('message', hear)
  process.once('disconnect', orphaned)
  // Node's own messages can fail between the supervisor's death and this event, which then follows.
  worker.on('error', () => {})
  return {
    counters,
    stopped: stopped.promise,
    // The cluster module counts from 1.
    isFirst: worker.id === 1,
    tls: async () => {
      process.on('SIGHUP', reload)
      send({ ratafia: 'tls' })
      let served = await firstTls.promise
      listeners.push((next) => {
        served = next
      })
      return { current: () => served, follow: (listener) => void listeners.push(listener) }
    },
    listening: (origin, first) => {
      listening = true
      send({ ratafia: 'listening', release, origin, first })
    },
    shareMetrics: (given) => {
      collect = given
    },
    leave: () => {
      process.off('disconnect', orphaned)
      process.off('message', hear)
      process.off('SIGHUP', reload)
      if (process.connected) process.disconnect()
    },
  }
}
