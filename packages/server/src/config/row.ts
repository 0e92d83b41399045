/** One environment variable is one row: its default, its meaning, and how its text is read. */

export interface VariableRow<T> {
  /** As the documentation shows it: a text one could set, or in words what happens without the variable. */
  readonly default: string
  readonly meaning: string
  /** Undefined = not set. Throws an `Error` whose message continues the variable's name, without secrets. */
  readonly parse: (text: string | undefined) => T
}

interface Text<T> extends Omit<VariableRow<T>, 'parse'> {
  readonly parse: (text: string) => T
}

/** A variable whose default is a text like any other, so it is written once. */
export const row = <T>({ default: fallback, meaning, parse }: Text<T>): VariableRow<T> => ({
  default: fallback,
  meaning,
  parse: (text = fallback) => parse(text),
})

/** A variable that is undefined unless it is set; `default` says in words what happens then. */
export const optional = <T>({ default: words, meaning, parse }: Text<T>): VariableRow<T | undefined> => ({
  default: words,
  meaning,
  parse: (text) => (text === undefined ? undefined : parse(text)),
})

/** The values of a table of rows, by name. */
export type ValuesOf<Rows> = { readonly [N in keyof Rows]: Rows[N] extends VariableRow<infer T> ? T : never }

export type Environment = Readonly<Record<string, string | undefined>>

/** The text of a variable. An empty one counts as absent. */
export const textOf = (environment: Environment, name: string): string | undefined =>
  environment[name] || undefined

/** Reads one row. What is wrong goes into `problems`, after the variable's name; the default takes its place. */
export function readRow<T>(
  name: string,
  { parse }: VariableRow<T>,
  environment: Environment,
  problems: string[],
): T {
  try {
    return parse(textOf(environment, name))
  } catch (error) {
    // Only our own parsers run here, and none of them puts a secret in its message.
    problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`)
    return parse(undefined)
  }
}

/** Reads a whole table, as {@link readRow} does each row. */
export function readRows<Rows extends Readonly<Record<string, VariableRow<unknown>>>>(
  rows: Rows,
  environment: Environment,
  problems: string[],
): ValuesOf<Rows> {
  const values = Object.entries(rows).map(([name, one]) => [name, readRow(name, one, environment, problems)])
  // Each name has the value that its own row parsed.
  return Object.fromEntries(values) as ValuesOf<Rows>
}
