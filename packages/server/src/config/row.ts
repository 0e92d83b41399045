/** A row describes an environment variable: its default, its meaning, and how to parse its text. */

export interface VariableRow<T> {
  /** The default for the documentation: a value that you could set, or a description of what happens without one. */
  readonly default: string
  readonly meaning: string
  /** Parses the text; undefined if it is not set. Throws an `Error` whose message follows the variable's name. */
  readonly parse: (text: string | undefined) => T
}

interface Text<T> extends Omit<VariableRow<T>, 'parse'> {
  readonly parse: (text: string) => T
}

/** A variable whose default is a value that you could set. */
export const row = <T>({ default: fallback, meaning, parse }: Text<T>): VariableRow<T> => ({
  default: fallback,
  meaning,
  parse: (text = fallback) => parse(text),
})

/** A variable that is undefined unless it is set; `default` describes what happens without it. */
export const optional = <T>({ default: words, meaning, parse }: Text<T>): VariableRow<T | undefined> => ({
  default: words,
  meaning,
  parse: (text) => (text === undefined ? undefined : parse(text)),
})

/** The values of a table of rows, by name. */
export type ValuesOf<Rows> = { readonly [N in keyof Rows]: Rows[N] extends VariableRow<infer T> ? T : never }

export type Environment = Readonly<Record<string, string | undefined>>

/** Returns the text of a variable. An empty one counts as absent. */
export const textOf = (environment: Environment, name: string): string | undefined =>
  environment[name] || undefined

/** Reads a row. For an invalid value, adds a line with the variable to `problems` and returns the default. */
export function readRow<T>(
  name: string,
  { parse }: VariableRow<T>,
  environment: Environment,
  problems: string[],
): T {
  try {
    return parse(textOf(environment, name))
  } catch (error) {
    // Only our own parsers run here, and their messages never contain secrets.
    problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`)
    return parse(undefined)
  }
}

/** Reads each row of a table with {@link readRow}. */
export function readRows<Rows extends Readonly<Record<string, VariableRow<unknown>>>>(
  rows: Rows,
  environment: Environment,
  problems: string[],
): ValuesOf<Rows> {
  const values = Object.entries(rows).map(([name, one]) => [name, readRow(name, one, environment, problems)])
  // The cast is safe: each name has the value that its own row parsed.
  return Object.fromEntries(values) as ValuesOf<Rows>
}
