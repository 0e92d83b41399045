/** Stores the package directory, names and snap ids from the operator, in the table `package`. */
import { type Database, inTransaction } from '../database/index.ts'

export interface PackageEntry {
  readonly name: string
  readonly snapId: string
}

export interface PackageStore {
  /** Returns the ids of the known names, by name. */
  idsOf(names: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Returns the known ids among these. */
  knownIds(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Returns true if no directory is configured. */
  isEmpty(): Promise<boolean>
  /**
   * Adds the entries in one transaction. An entry replaces entries with its name or its id (a renamed package keeps its
   * id). `replaceAll` removes all other entries.
   */
  import(
    entries: readonly PackageEntry[],
    options: { replaceAll: boolean; onProgress?: (done: number) => void },
  ): Promise<void>
  /** Returns the entries after `after`, sorted by name. */
  list(page: { after?: string | undefined; limit: number }): Promise<readonly PackageEntry[]>
}

declare module '../stores.ts' {
  interface TransactionStores {
    readonly packages: PackageStore
  }
}

/** Entries per statement. Every database accepts the resulting number of parameters. */
const BATCH = 200

export function packageStore({ query }: Pick<Database, 'query'>): PackageStore {
  return {
    async idsOf(names) {
      if (names.length === 0) return new Map()
      // Primary key.
      const rows = await query
        .selectFrom('package')
        .selectAll()
        .where('name', 'in', [...names])
        .execute()
      return new Map(rows.map((row) => [row.name, row.snap_id]))
    },

    async knownIds(ids) {
      if (ids.length === 0) return new Set()
      // Index package_snap_id_key.
      const rows = await query
        .selectFrom('package')
        .select('snap_id')
        .where('snap_id', 'in', [...ids])
        .execute()
      return new Set(rows.map(({ snap_id }) => snap_id))
    },

    async isEmpty() {
      const row = await query.selectFrom('package').select('name').limit(1).executeTakeFirst()
      return row === undefined
    },

    async import(entries, { replaceAll, onProgress }) {
      await inTransaction(query, async (transaction) => {
        if (replaceAll) await transaction.deleteFrom('package').execute()
        for (let start = 0; start < entries.length; start += BATCH) {
          const batch = entries.slice(start, start + BATCH)
          const names = batch.map(({ name }) => name)
          const ids = batch.map(({ snapId }) => snapId)
          await transaction
            .deleteFrom('package')
            .where((either) => either.or([either('name', 'in', names), either('snap_id', 'in', ids)]))
            .execute()
          await transaction
            .insertInto('package')
            .values(batch.map(({ name, snapId }) => ({ name, snap_id: snapId })))
            .execute()
          onProgress?.(start + batch.length)
        }
      })
    },

    async list({ after = '', limit }) {
      // Primary key.
      const rows = await query
        .selectFrom('package')
        .selectAll()
        .where('name', '>', after)
        .orderBy('name')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ name: row.name, snapId: row.snap_id }))
    },
  }
}
