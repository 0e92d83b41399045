/**
 * Checks whether this process can accept requests: the database answers in time, this code knows its schema,
 * and nothing else keeps the process from answering.
 */

export interface ReadinessOptions {
  /**
   * Compares the database's schema with the one that this code knows. A newer one still has everything this
   * code needs, so that nodes can be replaced one by one. Rejects when the database does not answer.
   */
  readonly schema: () => Promise<'current' | 'newer' | 'older' | 'contracted'>
  /** Returns why this process refuses requests, whatever the database answers; undefined if it does not. */
  readonly refusing?: () => string | undefined
  /** How long the database can take to answer, in milliseconds. Default: 2 seconds. */
  readonly patienceMs?: number
}

export interface Readiness {
  /** Returns a sentence with the reason why it is not ready; undefined if it is. */
  unready(): Promise<string | undefined>
  /** Makes it not ready, because the process is stopping. */
  leave(): void
}

const SCHEMA_REASONS: Readonly<Record<string, string>> = {
  older: 'The schema of the database is older than this release.',
  contracted: 'The schema of the database is for a newer release.',
}
const AWAY = 'The database does not answer.'

export function readiness({
  schema,
  refusing = () => undefined,
  patienceMs = 2_000,
}: ReadinessOptions): Readiness {
  let leaving = false
  let asking: Promise<string | undefined> | undefined
  // One query at a time, however many callers: queries to a silent database must not pile up.
  const ask = () => {
    asking ??= schema()
      .then((state) => SCHEMA_REASONS[state])
      .catch(() => AWAY)
      .finally(() => {
        asking = undefined
      })
    return asking
  }
  return {
    unready: async () => {
      if (leaving) return 'The service is shutting down.'
      const late = Promise.withResolvers<string>()
      const timer = setTimeout(() => late.resolve(AWAY), patienceMs)
      try {
        const reason = await Promise.race([ask(), late.promise])
        return leaving ? 'The service is shutting down.' : (refusing() ?? reason)
      } finally {
        clearTimeout(timer)
      }
    },
    leave: () => {
      leaving = true
    },
  }
}
