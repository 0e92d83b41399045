/** When the process of a service should end. */
import cluster from 'node:cluster'

/** Why: what a start that is under way ends with. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
  /** Undefined where the supervisor says so. */
  readonly signal: NodeJS.Signals | undefined
  constructor(signal?: NodeJS.Signals) {
    super('the service was told to stop')
    this.signal = signal
  }
}

/** Ctrl-C below npm is two signals: the terminal sends one, and npm passes its own on. */
const SAME_KEY_MS = 1_000

/**
 * Aborted by the first SIGTERM or SIGINT, with {@link Stopped}; a second one ends the process at once, with 1. Call it
 * first of all: the first process of a container has no other answer to these signals.
 */
export function stopOnSignal(): AbortSignal {
  const controller = new AbortController()
  let interruptedAt = Number.NEGATIVE_INFINITY
  const stop = (signal: NodeJS.Signals) => {
    const isSame = signal === 'SIGINT' && performance.now() - interruptedAt < SAME_KEY_MS
    // A worker gets the signal of its group, and another one from its supervisor, which kills it if it takes too long.
    if (controller.signal.aborted && !isSame && !cluster.isWorker) process.exit(1)
    if (signal === 'SIGINT' && !isSame) interruptedAt = performance.now()
    controller.abort(new Stopped(signal))
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  return controller.signal
}

/** Resolves once `stop` is aborted, to the signal, if there was one. */
export const stopOf = (stop: AbortSignal): Promise<NodeJS.Signals | undefined> =>
  new Promise((resolve) => {
    const told = () => resolve(stop.reason instanceof Stopped ? stop.reason.signal : undefined)
    if (stop.aborted) told()
    else stop.addEventListener('abort', told, { once: true })
  })
