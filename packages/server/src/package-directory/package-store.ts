/** The package directory: the table `package` of names and snap ids, filled by the operator. */
import { type Database, inTransaction } from '../database/index.ts'

export interface PackageEntry {
  readonly name: string
  readonly snapId: string
}

export interface PackageStore {
  /** The ids of those of the names that are known. */
  idsOf(names: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Without any entry no directory is configured. */
  isEmpty(): Promise<boolean>
  /**
   * Adds the entries in one transaction; one whose name or id is there already replaces it (a package that was
   * renamed keeps its id). With `replaceAll` those that are not among the entries go.
   */
  import(
    entries: readonly PackageEntry[],
    options: { replaceAll: boolean; onProgress?: (done: number) => void },
  ): Promise<void>
  /** By name, after `after` if given. */
  list(page: { after?: string | undefined; limit: number }): Promise<readonly PackageEntry[]>
}

/** Few enough for the parameters of one statement on every database. */
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

    async isEmpty() {
      const row = await query.selectFrom('package').select('name').limit(1).executeTakeFirst()
      return row === undefined
    },

    async import(entries, { replaceAll, onProgress }) {
      await inTransaction(query, async (transaction) => {
        if (replaceAll) await transaction.deleteFrom('package').execute()
        for (let start = 0; start < entries.length; start += BATCH) {
          const batch = entries.slice(start, start + BATCH)
          await transaction
            .deleteFrom('package')
            .where((either) =>
              either.or([
                either(
                  'name',
                  'in',
                  batch.map(({ name }) => name),
                ),
                either(
                  'snap_id',
                  'in',
                  batch.map(({ snapId }) => snapId),
                ),
              ]),
            )
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
