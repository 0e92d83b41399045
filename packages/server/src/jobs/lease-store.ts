/** Stores which process runs a job, in the table `job_lease`. Uses only the database's time: clocks of nodes differ. */
import { anyRowChanged, type Database, databaseNow } from '../database/index.ts'

/** A lease that the caller holds, or that is free for others after `restMs`. */
export type Lease = { readonly held: true } | { readonly held: false; readonly restMs: number }

export interface LeaseStore {
  /**
   * Takes or renews the lease of a job for this long. Only one of concurrent holders gets it. Writes nothing while more
   * than half of the time is left.
   */
  take(name: string, holder: string, milliseconds: number): Promise<Lease>
  /** Releases all leases of the holder. */
  release(holder: string): Promise<void>
  /** Returns the names of the jobs that a process holds now. */
  held(): Promise<readonly string[]>
}

declare module '../stores.ts' {
  interface Stores {
    readonly leases: LeaseStore
  }
}

export function leaseStore({ query, kind }: Pick<Database, 'query' | 'kind'>): LeaseStore {
  const now = databaseNow(kind)
  return {
    async take(name, holder, milliseconds) {
      // Primary key.
      const found = await query
        .selectFrom('job_lease')
        .select((select) => ['holder', select('held_until', '-', now).as('rest')])
        .where('name', '=', name)
        .executeTakeFirst()
      const rest = Number(found?.rest ?? 0)
      if (found && rest > 0) {
        if (found.holder !== holder) return { held: false, restMs: rest }
        if (rest > milliseconds / 2) return { held: true }
      }
      // Primary key. The row may have changed since it was read, so the condition is checked while it is locked.
      const result = await query
        .insertInto('job_lease')
        .values((value) => ({ name, holder, held_until: value(now, '+', milliseconds) }))
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet((set) => ({ holder, held_until: set.ref('excluded.held_until') }))
            .where((where) =>
              where.or([where('job_lease.holder', '=', holder), where('job_lease.held_until', '<=', now)]),
            ),
        )
        .executeTakeFirst()
      return anyRowChanged(result) ? { held: true } : { held: false, restMs: milliseconds }
    },

    async held() {
      // Scans the whole table, which has a handful of rows.
      const rows = await query
        .selectFrom('job_lease')
        .select('name')
        .where('held_until', '>', now)
        .orderBy('name')
        .execute()
      return rows.map(({ name }) => name)
    },

    async release(holder) {
      // Scans the whole table, which has a handful of rows.
      await query.updateTable('job_lease').set({ held_until: 0 }).where('holder', '=', holder).execute()
    },
  }
}
