/** Stores running processes in the table `service_process`, with the database's time, because nodes' clocks differ. */
import { type Database, databaseNow } from '../database/index.ts'

/** A process with a recent heartbeat. */
export interface RunningProcess {
  /** The name of its machine. */
  readonly host: string
  readonly release: string
}

export interface ProcessStore {
  /** Records a heartbeat of the process. Removes processes whose last heartbeat is old. */
  heartbeat(id: string, process: RunningProcess): Promise<void>
  leave(id: string): Promise<void>
  /** Returns at most 1,000 processes. */
  running(): Promise<readonly RunningProcess[]>
}

declare module '../stores.ts' {
  interface Stores {
    readonly processes: ProcessStore
  }
}

/** Three heartbeats. */
const SILENT_MS = 90_000
const FORGOTTEN_MS = 600_000
const MOST = 1_000

export function processStore({ query, kind }: Pick<Database, 'query' | 'kind'>): ProcessStore {
  const now = databaseNow(kind)
  return {
    async heartbeat(id, { host, release }) {
      // Primary key.
      await query
        .insertInto('service_process')
        .values({ id, host, release, seen_at: now })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet((set) => ({ seen_at: set.ref('excluded.seen_at') })),
        )
        .execute()
      // Scans the whole table, which has a row for each process.
      await query
        .deleteFrom('service_process')
        .where((where) => where('seen_at', '<', where(now, '-', FORGOTTEN_MS)))
        .execute()
    },

    async leave(id) {
      // Primary key.
      await query.deleteFrom('service_process').where('id', '=', id).execute()
    },

    async running() {
      // Scans the whole table.
      return query
        .selectFrom('service_process')
        .select(['host', 'release'])
        .where((where) => where('seen_at', '>=', where(now, '-', SILENT_MS)))
        .orderBy('id')
        .limit(MOST)
        .execute()
    },
  }
}
