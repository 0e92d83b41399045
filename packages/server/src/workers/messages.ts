/** The messages between the supervisor and its workers, which are of one release. */
import type { Counted, Taken } from '../limits/counters.ts'
import type { WorkerMetrics } from '../telemetry/worker-metrics.ts'
import type { ServedTls } from '../tls/served-tls.ts'

export type FromWorker =
  | Listening
  | { readonly ratafia: 'take'; readonly id: number; readonly asked: readonly (readonly Counted[])[] }
  | { readonly ratafia: 'give-back'; readonly counted: readonly Counted[] }
  | { readonly ratafia: 'metrics'; readonly id: number; readonly metrics: WorkerMetrics }
  /** Asks for the certificate. */
  | { readonly ratafia: 'tls' }
  /** The worker got a SIGHUP. */
  | { readonly ratafia: 'reload' }

export interface Listening {
  readonly ratafia: 'listening'
  readonly release: string
  readonly origin: string
  /** The rest of the announcement, which only `start/` knows. */
  readonly first: unknown
}

export type FromSupervisor =
  | { readonly ratafia: 'taken'; readonly id: number; readonly taken: readonly Taken[] }
  /** `place` is the value of the label `worker`. */
  | { readonly ratafia: 'metrics'; readonly id: number; readonly place: string }
  | { readonly ratafia: 'tls'; readonly served: ServedTls }
  | { readonly ratafia: 'stop' }

/** Checks whether a message is ours, because libraries send their own messages on the same channel. */
export const isOurs = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'ratafia' in message
