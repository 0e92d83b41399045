/** Whose turn a job is: the table `job_lease`. By the database's time alone, because clocks of nodes differ. */
import { anyRowChanged, type Database, databaseNow } from '../database/index.ts'

/** Held, or free for others after `restMs`. */
export type Lease = { readonly held: true } | { readonly held: false; readonly restMs: number }

export interface LeaseStore {
  /**
   * Takes the lease of a job for so long, or keeps it: of any number who try at once one has it. Nothing is written while
   * more than half of the time is left.
   */
  take(name: string, holder: string, milliseconds: number): Promise<Lease>
  /** Gives up all that the holder has. */
  release(holder: string): Promise<void>
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
      // Primary key. What was seen may have changed: the condition is looked at under the lock of the row.
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

    async release(holder) {
      // A handful of rows: the whole table.
      await query.updateTable('job_lease').set({ held_until: 0 }).where('holder', '=', holder).execute()
    },
  }
}
