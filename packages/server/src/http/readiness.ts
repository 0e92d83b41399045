/** Whether this process can do what it is asked: the database answers in time, with a schema that this code knows. */

export interface ReadinessOptions {
  /** Asks the database: `older` lacks what this code needs. Rejects when the database is away. */
  readonly schema: () => Promise<string>
  /** How long the database may take. Default 2 seconds. */
  readonly patienceMs?: number
}

export interface Readiness {
  /** Why not, a sentence; undefined when it is ready. */
  unready(): Promise<string | undefined>
  /** From now on it is not: the process ends. */
  leave(): void
}

const AWAY = 'The database does not answer.'

export function readiness({ schema, patienceMs = 2_000 }: ReadinessOptions): Readiness {
  let leaving = false
  let asking: Promise<string | undefined> | undefined
  // One question at a time, however many ask for it: a database that is silent must not be asked ever more.
  const ask = () => {
    asking ??= schema()
      // A newer one has all that this code needs: so nodes are replaced one by one.
      .then((state) =>
        state === 'older' ? 'The schema of the database is older than this release.' : undefined,
      )
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
