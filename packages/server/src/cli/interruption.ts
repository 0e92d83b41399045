/** Ctrl-C and SIGTERM for commands that clean up before they exit. */

/** Runs `work` with a signal that aborts on Ctrl-C and SIGTERM. A second Ctrl-C ends the process immediately. */
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
    super(`the command was interrupted by ${signal}`)
  }
}

/** Returns the result of `work`, or throws the reason of `signal` once it aborts. */
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
