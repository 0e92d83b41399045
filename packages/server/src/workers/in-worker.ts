/** A worker's side: what it counts, and when it is to end. */
import cluster from 'node:cluster'
import type { Counters } from '../counters.ts'
import type { WorkerMetrics } from '../telemetry/worker-metrics.ts'
import { type FromSupervisor, type FromWorker, isOurs } from './messages.ts'
import { sharedCounters } from './shared-counters.ts'

export interface InWorker {
  /** Counts for all workers of the machine. */
  readonly counters: Counters
  /** Resolves when the worker is to finish: told by the supervisor, or without one. */
  readonly told: Promise<void>
  listening(origin: string): void
  /** Gives the supervisor what it asks for from now on. */
  shareMetrics(collect: () => Promise<WorkerMetrics>): void
  /** Nothing more is to be said or heard, so that the process can end. */
  leave(): void
}

/** Undefined in a process that no supervisor started. `fallback` counts while the supervisor does not answer. */
export function inWorker({ fallback }: { readonly fallback: Counters }): InWorker | undefined {
  const { worker } = cluster
  if (!worker) return undefined
  // Otherwise Node ends the process at once when the supervisor is gone, in the middle of its requests.
  worker.exitedAfterDisconnect = true
  const told = Promise.withResolvers<void>()
  let listening = false
  let stopping = false
  let collect: (() => Promise<WorkerMetrics>) | undefined
  const send = (message: FromWorker) => {
    if (!worker.isConnected()) return false
    worker.send(message, () => {})
    return true
  }
  const counters = sharedCounters({ send, fallback })
  const hear = (message: unknown) => {
    if (!isOurs(message)) return
    // Only the supervisor is on the other side.
    const said = message as FromSupervisor
    if (said.ratafia === 'taken') counters.answer(said.id, said.taken)
    else if (said.ratafia === 'metrics') {
      // One that cannot say how it is says nothing, and goes on: its supervisor waits no longer than for one that hangs.
      collect?.().then(
        (metrics) => send({ ratafia: 'metrics', id: said.id, metrics }),
        () => {},
      )
    } else {
      stopping = true
      told.resolve()
    }
  }
  const orphaned = () => {
    // It went while we were finishing: it was told not to wait. Or before we had a port, which it alone can give.
    if (stopping || !listening) process.exit(1)
    told.resolve()
  }
  process.on('message', hear)
  process.once('disconnect', orphaned)
  return {
    counters,
    told: told.promise,
    listening: (origin) => {
      listening = true
      send({ ratafia: 'listening', origin })
    },
    shareMetrics: (given) => {
      collect = given
    },
    leave: () => {
      process.off('disconnect', orphaned)
      process.off('message', hear)
      if (process.connected) process.disconnect()
    },
  }
}
