/** The table `counter`. */
import { sql } from 'kysely'
import { type Database, insertMany, inTransaction, toInstant } from '../database/index.ts'

/** How many times something happened in an hour. */
export interface CountedRow {
  readonly name: string
  /** The beginning of the hour, in epoch milliseconds. */
  readonly at: number
  readonly brandId: string
  readonly label: string
  readonly n: number
}

interface CountsOf {
  readonly name: string
  /** The brands whose counts are added up. */
  readonly brandIds: readonly string[]
  /** When each bucket begins, oldest first, at least one. A bucket ends where the next one begins. */
  readonly starts: readonly Date[]
}

/** A count in one bucket. */
export interface CountedBucket extends Pick<CountedRow, 'label' | 'n'> {
  /** The bucket's index in `starts`. */
  readonly bucket: number
}

export interface CounterStore {
  /** Adds rows, one for each key, to their hours, in one transaction. */
  add(rows: readonly CountedRow[]): Promise<void>
  /** Returns the brands that were added first, and those of `brandIds` that were added later. */
  brandsOf(
    brandIds: readonly string[],
    most: { readonly first: number },
  ): Promise<Readonly<Record<'first' | 'later', ReadonlySet<string>>>>
  /** Returns the counts by bucket and label, without zeros. Times before the last fold have only days. */
  counts(of: CountsOf): Promise<readonly CountedBucket[]>
  /** Folds the oldest hour before that instant into its day of `day` milliseconds. Returns false if there is none. */
  foldHour(before: Date, day: number): Promise<boolean>
  /** Removes at most `limit` rows from before that instant. Returns how many. */
  removeOld(before: Date, limit: number): Promise<number>
}

declare module '../stores.ts' {
  interface TransactionStores {
    readonly counts: CounterStore
  }
}

/** The maximum number of rows in one statement. */
const AT_ONCE = 1_000
/** The maximum number of ids in one statement. */
const MOST_IDS = 1_000

export function counterStore({ query }: Pick<Database, 'query'>): CounterStore {
  return {
    add: (rows) => inTransaction(query, (transaction) => addTo(transaction, 'h', rows)),

    async brandsOf(brandIds, most) {
      // Reads the whole table, which has a row for each brand, then uses its primary key.
      const earliest = await query
        .selectFrom('brand')
        .select('account_id')
        .orderBy('added_at')
        .orderBy('account_id')
        .limit(most.first)
        .execute()
      const first = new Set(earliest.map(({ account_id: id }) => id))
      const later = new Set<string>()
      const others = brandIds.filter((id) => !first.has(id))
      for (let start = 0; start < others.length; start += MOST_IDS) {
        const part = others.slice(start, start + MOST_IDS)
        const found = await query
          .selectFrom('brand')
          .select('account_id')
          .where('account_id', 'in', part)
          .execute()
        for (const { account_id: id } of found) later.add(id)
      }
      return { first, later }
    },

    async counts({ name, brandIds, starts: [first, ...others] }) {
      if (brandIds.length === 0 || first === undefined) return []
      const cases = others.map((start, bucket) => sql`when at < ${toInstant(start)} then ${sql.lit(bucket)}`)
      const last = sql.lit(others.length)
      const bucket = cases.length === 0 ? last : sql`case ${sql.join(cases, sql` `)} else ${last} end`
      // The primary key begins with the name, the brand and the span.
      const found = query
        .selectFrom('counter')
        .select([bucket.$castTo<number>().as('bucket'), 'label', 'n'])
        .where('name', '=', name)
        .where('brand_id', 'in', brandIds)
        .where('span', 'in', ['h', 'd'])
        .where('at', '>=', toInstant(first))
      const rows = await query
        .selectFrom(found.as('found'))
        .select(['bucket', 'label', (select) => select.fn.sum<number>('n').as('n')])
        .groupBy(['bucket', 'label'])
        .execute()
      return rows.map((row) => ({ bucket: Number(row.bucket), label: row.label, n: Number(row.n) }))
    },

    foldHour: (before, day) =>
      inTransaction(query, async (transaction) => {
        // Both statements use the index counter_span_at.
        const oldest = await transaction
          .selectFrom('counter')
          .select('at')
          .where('span', '=', 'h')
          .where('at', '<', toInstant(before))
          .orderBy('at')
          .limit(1)
          .executeTakeFirst()
        if (!oldest) return false
        const hour = Number(oldest.at)
        // Counts what was deleted, so a second process finds nothing left.
        const folded = await transaction
          .deleteFrom('counter')
          .where('span', '=', 'h')
          .where('at', '=', hour)
          .returning(['name', 'brand_id', 'label', 'n'])
          .execute()
        const at = hour - (hour % day)
        await addTo(
          transaction,
          'd',
          folded.map((row) => ({
            ...{ name: row.name, at, brandId: row.brand_id, label: row.label, n: Number(row.n) },
          })),
        )
        return true
      }),

    async removeOld(before, limit) {
      // Uses the index counter_span_at, then the primary key.
      let removed = 0
      for (const span of ['h', 'd'] as const) {
        const old = sql`select name, brand_id, span, at, label from counter
          where span = ${span} and at < ${toInstant(before)} order by at limit ${limit - removed}`
        const { numAffectedRows = 0n } = await sql`delete from ${sql.table('counter')}
          where (name, brand_id, span, at, label) in (${old})`.execute(query)
        removed += Number(numAffectedRows)
      }
      return removed
    },
  }
}

/** Adds rows in one order everywhere, so that two calls don't deadlock. Uses the primary key. */
async function addTo(query: Database['query'], span: 'h' | 'd', rows: readonly CountedRow[]): Promise<void> {
  const ordered = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  for (let start = 0; start < ordered.length; start += AT_ONCE) {
    const part = ordered.slice(start, start + AT_ONCE)
    await insertMany(
      query,
      'counter',
      part.map(({ name, brandId, at, label, n }) => ({ name, brand_id: brandId, span, at, label, n })),
    )
      .onConflict((conflict) =>
        conflict
          .columns(['name', 'brand_id', 'span', 'at', 'label'])
          .doUpdateSet({ n: sql<number>`counter.n + excluded.n` }),
      )
      .execute()
  }
}

/** Returns the key that identifies a row within one span. */
export const keyOf = ({ name, brandId, at, label }: Omit<CountedRow, 'n'>): string =>
  `${name} ${brandId} ${at} ${label}`
