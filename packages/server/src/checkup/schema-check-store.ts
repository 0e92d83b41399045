/** Finds parts that a database's schema lacks, and rows with dangling references. */
import { sql } from 'kysely'
import {
  columnNames,
  constraintNames,
  type Database,
  distributedTables,
  indexNames,
  presentColumns,
  presentConstraints,
  presentIndexes,
  presentTables,
  presentTriggers,
  referencesOf,
  tableNames,
  triggerNames,
} from '../database/index.ts'

export interface SchemaCheckStore {
  /** Returns the migrations' missing tables and columns, as `table x` and `column x.y`. Most other checks read them. */
  missingToRead(): Promise<readonly string[]>
  /** Returns those, and missing indexes, constraints and triggers. */
  missingFromSchema(): AsyncGenerator<string>
  /** Returns rows that refer to a missing row, by table. */
  danglingReferences(): AsyncGenerator<{
    table: string
    columns: string
    to: string
    count: number
    example: string
  }>
}

export function schemaCheckStore({ query, kind }: Pick<Database, 'query' | 'kind'>): SchemaCheckStore {
  const tables = () => presentTables(query, kind, tableNames(kind))
  const missingToRead = async () => {
    const missing: string[] = []
    const columns = columnNames(kind)
    for (const name of tableNames(kind)) {
      const there = await presentColumns(query, kind, name)
      const wanted = columns.filter(({ table }) => table === name)
      if (there.size === 0) missing.push(`table ${name}`)
      else
        missing.push(
          ...wanted.flatMap((column) => (there.has(column.name) ? [] : `column ${name}.${column.name}`)),
        )
    }
    return missing
  }

  return {
    missingToRead,

    async *missingFromSchema() {
      yield* await missingToRead()
      const indexes = await presentIndexes(query, kind)
      for (const name of indexNames(kind)) if (!indexes.has(name)) yield `index ${name}`
      const constraints = await presentConstraints(query, kind)
      for (const { table, name } of constraintNames(kind)) {
        if (!constraints.has(`${table}.${name}`)) yield `constraint ${name} of ${table}`
      }
      // Citus does not allow triggers on the tables that it distributes.
      const distributed = await distributedTables(query, kind)
      const triggers = await presentTriggers(query, kind)
      for (const { table, name } of triggerNames(kind)) {
        if (!triggers.has(`${table}.${name}`) && !distributed.has(table)) yield `trigger ${name} of ${table}`
      }
    },

    async *danglingReferences() {
      for (const table of await tables()) {
        for (const { columns, to, toColumns } of await referencesOf(query, kind, table)) {
          const joined = sql.join(
            columns.map(
              (column, at) => sql`child.${sql.ref(column)} = parent.${sql.ref(toColumns[at] ?? '')}`,
            ),
            sql` and `,
          )
          const set = sql.join(
            columns.map((column) => sql`child.${sql.ref(column)} is not null`),
            sql` and `,
          )
          const { rows } = await sql<{ count: number | string; example: unknown }>`
            select count(*) as count, min(child.${sql.ref(columns[0] ?? '')}) as example
            from ${sql.table(table)} as child
            where ${set} and not exists (select 1 from ${sql.table(to)} as parent where ${joined})
          `.execute(query)
          const count = Number(rows[0]?.count ?? 0)
          if (count > 0)
            yield { table, columns: columns.join(', '), to, count, example: String(rows[0]?.example) }
        }
      }
    },
  }
}
