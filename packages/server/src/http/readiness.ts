/** Whether this process can do what it is asked: the database answers in time, with a schema that this code knows. */

export interface ReadinessOptions {
  /**
   * Asks the database how its schema stands to this code: one that is newer has all that is needed, so that nodes are
   * replaced one by one. Rejects when the database is away.
   */
  readonly schema: () => Promise<'current' | 'newer' | 'older' | 'contracted'>
  /** How long the database may take. Default 2 seconds. */
  readonly patienceMs?: number
}

export interface Readiness {
  /** Why not, a sentence; undefined when it is ready. */
  unready(): Promise<string | undefined>
  /** From now on it is not: the process ends. */
  leave(): void
}

const SCHEMA_REASONS: Readonly<Record<string, string>> = {
  older: 'The schema of the database is older than this release.',
  contracted: 'The schema of the database is for a newer release.',
}
const AWAY = 'The database does not answer.'

export function readiness({ schema, patienceMs = 2_000 }: ReadinessOptions): Readiness {
  let leaving = false
  let asking: Promise<string | undefined> | undefined
  // One question at a time, however many ask for it: a database that is silent must not be asked ever more.
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
        return leaving ? 'The service is shutting down.' : reason
      } finally {
        clearTimeout(timer)
      }
    },
    leave: () => {
      leaving = true
    },
  }
}
