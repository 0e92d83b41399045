/** The messages between the supervisor and its workers, which always run the same release. */
import type { Counted, Taken } from '../limits/counters.ts'
import type { WorkerMetrics } from '../telemetry/worker-metrics.ts'

export type FromWorker =
  | Listening
  | { readonly ratafia: 'take'; readonly id: number; readonly asked: readonly (readonly Counted[])[] }
  | { readonly ratafia: 'give-back'; readonly counted: readonly Counted[] }
  | { readonly ratafia: 'metrics'; readonly id: number; readonly metrics: WorkerMetrics }

export interface Listening {
  readonly ratafia: 'listening'
  readonly origin: string
  /** Whether somebody can log in. */
  readonly hasAccount: boolean
}

export type FromSupervisor =
  | { readonly ratafia: 'taken'; readonly id: number; readonly taken: readonly Taken[] }
  /** `place`: what the label `worker` says. */
  | { readonly ratafia: 'metrics'; readonly id: number; readonly place: string }
  | { readonly ratafia: 'stop' }

/** Libraries send messages of their own on the same channel. */
export const isOurs = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'ratafia' in message
