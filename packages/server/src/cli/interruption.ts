/** What a command does when it is told to end, by Ctrl-C or SIGTERM. */

/**
 * Does `work`, whose signal is aborted when the command is told to end. A second signal ends the process at once, as
 * without this.
 */
export async function interruptible<T>(work: (interrupted: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const interrupt = (signal: NodeJS.Signals) => {
    stopListening()
    controller.abort(new Interrupted(signal))
  }
  const stopListening = () => process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  try {
    return await work(controller.signal)
  } finally {
    stopListening()
  }
}

class Interrupted extends Error {
  override readonly name = 'Interrupted'
  constructor(signal: NodeJS.Signals) {
    super(`the command was told to end by ${signal}`)
  }
}

/** What `work` resolves to, or throws the reason of `signal` once that is aborted. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
