/** Inserts many rows at once: copies of a row that the service has written, which differ in a few columns. */
import { type Kysely, sql } from 'kysely'
import type { Opened } from './opened.ts'

/** The rows that one statement inserts. */
const ROWS = 20_000

export interface Template {
  readonly table: 'device' | 'token_session'
  /** The column that identifies the row to copy, and its value. */
  readonly key: string
  readonly of: string
  /** The columns in which each copy has its own text, including its key. */
  readonly own: readonly string[]
}

/** Copies the template. `own` returns each copy's texts, in the order of the template's columns. */
export async function copyRow(
  { kind, query }: Opened['database'],
  { table, key, of, own: columns }: Template,
  count: number,
  own: (index: number) => readonly string[],
): Promise<void> {
  const untyped: Kysely<Record<string, Record<string, unknown>>> = query as never
  const row = await untyped.selectFrom(table).selectAll().where(key, '=', of).executeTakeFirstOrThrow()
  const names = Object.keys(row)
  const values = names.map((name) =>
    columns.includes(name)
      ? sql`fresh.value ->> ${sql.lit(columns.indexOf(name))}`
      : sql.ref(`template.${name}`),
  )
  const each = kind === 'sqlite' ? 'json_each' : 'json_array_elements'
  for (let from = 0; from < count; from += ROWS) {
    const texts = Array.from({ length: Math.min(ROWS, count - from) }, (_, at) => own(from + at))
    await sql`insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
      select ${sql.join(values)} from ${sql.table(table)} as template, ${sql.raw(each)}(${JSON.stringify(texts)}) as fresh
      where ${sql.ref(`template.${key}`)} = ${of}`.execute(untyped)
  }
}
