/** Reads every row of every table. The tables come from the schema, so new ones need no change here. */

export type Row = Readonly<Record<string, unknown>>

export type Tables = ReadonlyMap<string, readonly Row[]>

/** Runs a statement, and returns its rows. */
export type Statement = (text: string) => Promise<readonly Row[]>

const NAMES = {
  // The rows of partitions are read with their table.
  postgres: `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
    and relnamespace = 'public'::regnamespace order by relname`,
  sqlite: `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`,
} as const

export async function readTables(statement: Statement, kind: keyof typeof NAMES): Promise<Tables> {
  const tables = new Map<string, readonly Row[]>()
  for (const { name } of await statement(NAMES[kind])) {
    tables.set(String(name), (await statement(`select * from "${name}"`)).map(plain))
  }
  return tables
}

/** Returns a row with bytes and numbers as text, so that the rows of two drivers can be compared. */
const plain = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array
        ? Buffer.from(value).toString('hex')
        : typeof value === 'number' || typeof value === 'bigint'
          ? String(value)
          : value,
    ]),
  )

/** Returns a sentence for each row that differs. For the tables in `except`, compares only the names. */
export function differences(
  { expected, found }: { readonly expected: Tables; readonly found: Tables },
  except: ReadonlySet<string>,
): readonly string[] {
  return [...new Set([...expected.keys(), ...found.keys()])].flatMap((name) => {
    const [before, after] = [expected.get(name), found.get(name)]
    if (!before) return [`there is a new table ${name}`]
    if (!after) return [`the table ${name} is missing`]
    if (except.has(name)) return []
    const [ours, theirs] = [before, after].map((rows) => new Set(rows.map(textOf)))
    return [
      ...[...(ours ?? [])].filter((row) => !theirs?.has(row)).map((row) => `${name} lacks ${row}`),
      ...[...(theirs ?? [])].filter((row) => !ours?.has(row)).map((row) => `${name} has in addition ${row}`),
    ]
  })
}

const textOf = (row: Row): string =>
  JSON.stringify(Object.fromEntries(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1))))
