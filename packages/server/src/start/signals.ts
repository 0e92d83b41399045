/** The signals that end the service. */

/** Resolves with the first SIGTERM or SIGINT; a second one does not wait any more and ends the process with 1. */
export function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      process.once('SIGTERM', () => process.exit(1)).once('SIGINT', () => process.exit(1))
      resolve(signal)
    }
    process.once('SIGTERM', stop).once('SIGINT', stop)
  })
}
