/** The audit log and its chain: the tables `audit_entry` and `audit_chain`. */
import { type AuditEntryId, firstAuditEntryIdAt } from '@ratafia/api'
import { sql } from 'kysely'
import {
  type AuditEntryTable,
  type Database,
  fromInstant,
  type NewAuditEntry,
  type Schema,
  toInstant,
} from '../database/index.ts'
import type { AuditEntry, Link, LinkedEntry } from './entry.ts'

/** A filter that entries must match in every field; an empty one matches all entries. */
export interface AuditFilter {
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly subject?: string | undefined
  /** The earliest instant, inclusive. */
  readonly since?: Date | undefined
  /** The latest instant, exclusive. */
  readonly until?: Date | undefined
}

/** Both ends of the chain: the hashes of the entries at `baseSeq`, which was removed, and at `seq`. */
export interface Chain {
  readonly baseSeq: number
  readonly baseHash: string
  readonly seq: number
  readonly hash: string
}

export interface ListedEntry extends AuditEntry {
  /** The entry's place in the chain; undefined until it is linked, about a second later. */
  readonly link: Link | undefined
}

export interface AuditStore {
  add(entry: AuditEntry): Promise<void>
  /** Lists entries newest first, before the entry `before` and down to `last`, if given. */
  list(
    filter: AuditFilter,
    page: {
      readonly before?: AuditEntryId | undefined
      readonly last?: AuditEntryId | undefined
      readonly limit: number
    },
  ): Promise<readonly ListedEntry[]>
  /** Lists entries oldest first, after the entry `after` and up to `last`, if given. */
  page(
    filter: AuditFilter,
    page: {
      readonly after?: AuditEntryId | undefined
      readonly last?: AuditEntryId | undefined
      readonly limit: number
    },
  ): Promise<readonly ListedEntry[]>
  /** Returns how far a page can look: the id `rows` before `before`, or after `after`, in the filter's index. */
  nth(
    filter: AuditFilter,
    rows: number,
    from: { readonly before: AuditEntryId | undefined } | { readonly after: AuditEntryId | undefined },
  ): Promise<AuditEntryId | undefined>
  chain(): Promise<Chain>
  /** Locks and returns the chain. Until the transaction ends, no other process extends or cuts it. */
  lockChain(): Promise<Chain>
  /** Returns unlinked entries, oldest first. */
  unlinked(limit: number): Promise<readonly AuditEntry[]>
  countUnlinked(): Promise<number>
  /** Links entries and moves the end of the chain to the last one. Needs a transaction that has locked the chain. */
  link(entries: readonly LinkedEntry[]): Promise<void>
  /** Returns linked entries in the order of the chain. */
  linkedAfter(seq: number, limit: number): Promise<readonly LinkedEntry[]>
  /**
   * Removes up to `limit` entries older than `before` from the beginning of the chain, and moves the
   * beginning to the last one removed. Needs a transaction that has locked the chain. Returns the number of
   * removed entries and the last.
   */
  removeOldest(
    chain: Chain,
    before: Date,
    limit: number,
  ): Promise<{ readonly removed: number; readonly last: LinkedEntry | undefined }>
}

declare module '../stores.ts' {
  interface TransactionStores {
    readonly audit: AuditStore
  }
}

export function auditStore({ query }: Pick<Database, 'query'>): AuditStore {
  /**
   * Uses audit_entry_subject, audit_entry_actor or audit_entry_action, the first that the filter names, or
   * else the primary key. All are in the order of ids, and times are ranges of ids.
   */
  const lookedUp = (filter: AuditFilter) => {
    const { since, until } = filter
    const index = indexOf(filter)
    let select = query.selectFrom('audit_entry')
    if (index !== undefined) select = select.where(index, '=', filter[index] ?? '')
    if (since !== undefined) select = select.where('id', '>=', firstAuditEntryIdAt(since))
    if (until !== undefined) select = select.where('id', '<', firstAuditEntryIdAt(until))
    return select
  }
  const filtered = (filter: AuditFilter) => {
    let select = lookedUp(filter).selectAll()
    for (const column of COLUMNS) {
      const { [column]: value } = filter
      if (value === undefined || column === indexOf(filter)) continue
      // An expression, so that the planner does not use another index, which a page might have to read completely.
      select = select.where(sql`${sql.ref(column)} || ''`, '=', value)
    }
    return select
  }

  return {
    async add(entry) {
      const link = { seq: null, previous_hash: null, hash: null }
      await query
        .insertInto('audit_entry')
        .values({ ...newRowOf(entry), ...link })
        .execute()
    },

    async list(filter, { before, last, limit }) {
      let select = filtered(filter)
      if (before !== undefined) select = select.where('id', '<', before)
      if (last !== undefined) select = select.where('id', '>=', last)
      return (await select.orderBy('id', 'desc').limit(limit).execute()).map(listedOf)
    },

    async page(filter, { after, last, limit }) {
      let select = filtered(filter)
      if (after !== undefined) select = select.where('id', '>', after)
      if (last !== undefined) select = select.where('id', '<=', last)
      return (await select.orderBy('id').limit(limit).execute()).map(listedOf)
    },

    async nth(filter, rows, from) {
      // Uses only the filter's index.
      let select = lookedUp(filter).select('id')
      if ('before' in from) {
        if (from.before !== undefined) select = select.where('id', '<', from.before)
        select = select.orderBy('id', 'desc')
      } else {
        if (from.after !== undefined) select = select.where('id', '>', from.after)
        select = select.orderBy('id')
      }
      const row = await select
        .offset(rows - 1)
        .limit(1)
        .executeTakeFirst()
      // Only newAuditEntryId fills the column.
      return row?.id as AuditEntryId | undefined
    },

    async chain() {
      // Uses the primary key.
      const row = await query.selectFrom('audit_chain').selectAll().where('id', '=', 1).executeTakeFirst()
      return row ? chainOf(row) : EMPTY
    },

    async lockChain() {
      // Uses the primary key. The update is the lock.
      const row = await query
        .insertInto('audit_chain')
        .values({ id: 1, base_seq: 0, base_hash: NO_HASH, seq: 0, hash: NO_HASH })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ id: 1 }))
        .returningAll()
        .executeTakeFirstOrThrow()
      return chainOf(row)
    },

    async unlinked(limit) {
      // Uses the index audit_entry_unlinked.
      const rows = await query
        .selectFrom('audit_entry')
        .selectAll()
        .where('seq', 'is', null)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(entryOf)
    },

    async countUnlinked() {
      // Uses the index audit_entry_unlinked.
      const { count } = await query
        .selectFrom('audit_entry')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('seq', 'is', null)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    async link(entries) {
      const last = entries.at(-1)
      if (!last) return
      const rows = entries.map(
        ({ id, seq, previousHash, hash }) => sql`(${id}, ${seq}, ${previousHash}, ${hash})`,
      )
      // Uses the primary key. Both databases name the columns of `values` alike. The lock guarantees that the
      // entries are not linked yet. As a condition, that would make SQLite scan all unlinked entries.
      await sql`
        update audit_entry
        set seq = cast(link.column2 as bigint), previous_hash = link.column3, hash = link.column4
        from (values ${sql.join(rows)}) as link
        where audit_entry.id = link.column1
      `.execute(query)
      // Uses the primary key.
      await query
        .updateTable('audit_chain')
        .set({ seq: last.seq, hash: last.hash })
        .where('id', '=', 1)
        .execute()
    },

    async linkedAfter(seq, limit) {
      // Uses the unique index audit_entry_seq_key.
      const rows = await query
        .selectFrom('audit_entry')
        .selectAll()
        .where('seq', '>', seq)
        .orderBy('seq')
        .limit(limit)
        .execute()
      return rows.flatMap((row) => linkedOf(row) ?? [])
    },

    async removeOldest({ baseSeq }, before, limit) {
      // Uses the unique index audit_entry_seq_key, from its beginning.
      const rows = await query
        .selectFrom('audit_entry')
        .selectAll()
        .where('seq', '>', baseSeq)
        .where('seq', '<=', baseSeq + limit)
        .orderBy('seq')
        .execute()
      // Stop before the first entry to keep: the chain has no gaps.
      const young = rows.findIndex(({ at }) => at >= toInstant(before))
      const old = (young < 0 ? rows : rows.slice(0, young)).flatMap((row) => linkedOf(row) ?? [])
      const last = old.at(-1)
      if (!last) return { removed: 0, last }
      await query.deleteFrom('audit_entry').where('seq', '>', baseSeq).where('seq', '<=', last.seq).execute()
      // Uses the primary key.
      await query
        .updateTable('audit_chain')
        .set({ base_seq: last.seq, base_hash: last.hash })
        .where('id', '=', 1)
        .execute()
      return { removed: old.length, last }
    },
  }
}

/** The columns, most selective first. */
const COLUMNS = ['subject', 'actor', 'action'] as const

const indexOf = (filter: AuditFilter) => COLUMNS.find((column) => filter[column] !== undefined)

/** Whether every entry in the filter's index matches the filter. */
export const isServedByIndex = (filter: AuditFilter): boolean =>
  COLUMNS.filter((column) => filter[column] !== undefined).length <= 1

/** Returns an entry's row, for a store that inserts it with the rows it records. */
export const newRowOf = (entry: AuditEntry): NewAuditEntry => ({ ...entry, at: toInstant(entry.at) })

const NO_HASH = '0'.repeat(64)
const EMPTY: Chain = { baseSeq: 0, baseHash: NO_HASH, seq: 0, hash: NO_HASH }

const chainOf = (row: Schema['audit_chain']): Chain => ({
  baseSeq: row.base_seq,
  baseHash: row.base_hash,
  seq: row.seq,
  hash: row.hash,
})

const entryOf = ({ id, at, actor, source, action, subject, details }: AuditEntryTable): AuditEntry => ({
  // Only newAuditEntryId fills the column.
  id: id as AuditEntryId,
  at: fromInstant(at),
  actor,
  source,
  action,
  subject,
  details,
})

const linkOf = ({ seq, previous_hash, hash }: AuditEntryTable): Link | undefined =>
  seq === null || previous_hash === null || hash === null
    ? undefined
    : { seq, previousHash: previous_hash, hash }

const listedOf = (row: AuditEntryTable): ListedEntry => ({ ...entryOf(row), link: linkOf(row) })

function linkedOf(row: AuditEntryTable): LinkedEntry | undefined {
  const link = linkOf(row)
  return link && { ...entryOf(row), ...link }
}

/** An entry of the audit log as a row of an export. */
