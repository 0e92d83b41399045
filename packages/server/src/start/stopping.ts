/** Decides when a process of the service should stop. */
import cluster from 'node:cluster'

/** Thrown by a start that was interrupted by a stop. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
  /** The signal; undefined if the supervisor asked for the stop. */
  readonly signal: NodeJS.Signals | undefined
  constructor(signal?: NodeJS.Signals) {
    super('the service was asked to stop')
    this.signal = signal
  }
}

/** With npm, Ctrl-C causes two signals: the terminal sends one, and npm forwards its own. */
const SAME_KEY_MS = 1_000

/**
 * Returns a signal that the first SIGTERM or SIGINT aborts, with {@link Stopped}. The second one ends the process at
 * once, with 1. Call this first, because these signals have no default action for the first process of a container.
 */
export function stopOnSignal(): AbortSignal {
  const controller = new AbortController()
  let interruptedAt = Number.NEGATIVE_INFINITY
  const stop = (signal: NodeJS.Signals) => {
    const isSame = signal === 'SIGINT' && performance.now() - interruptedAt < SAME_KEY_MS
    // A worker gets the signal of its group and one from its supervisor, which kills it if it takes too long.
    if (controller.signal.aborted && !isSame && !cluster.isWorker) process.exit(1)
    if (signal === 'SIGINT' && !isSame) interruptedAt = performance.now()
    controller.abort(new Stopped(signal))
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  return controller.signal
}

/** Resolves when `stop` is aborted, to the signal if there was one. */
export const stopOf = (stop: AbortSignal): Promise<NodeJS.Signals | undefined> =>
  new Promise((resolve) => {
    const told = () => resolve(stop.reason instanceof Stopped ? stop.reason.signal : undefined)
    if (stop.aborted) told()
    else stop.addEventListener('abort', told, { once: true })
  })
