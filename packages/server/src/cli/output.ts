/** The output of commands: tables for people, `--json` for programs. */
import { type Command, Option } from 'commander'
import { type CommonOptions, type Streams, type ToStreams, UsageError } from './context.ts'
import { coloured } from './terminal/colour.ts'
import { escaped, harmless } from './terminal/harmless.ts'
import { fitTable } from './terminal/table.ts'
import { typed } from './typed.ts'

/** Adds `--json` to a command. */
export const withJson = (command: Command): Command => command.option('--json', 'print JSON, for programs')

/** Adds `--json` and `--columns` to a command that lists; `columns` are all columns that a table can show. */
export const withList = (command: Command, columns: readonly string[]): Command =>
  withJson(command).addOption(new ColumnsOption(columns))

/** An option whose value is the list of selected columns. Completion proposes `columns`. */
export class ColumnsOption extends Option {
  readonly columns: readonly string[]

  constructor(columns: readonly string[]) {
    super(
      '--columns <names>',
      `the columns to show, in this order, separated by commas: ${columns.join(', ')}`,
    )
    this.columns = columns
    this.argParser((text) => chosenFrom(columns, text))
  }
}

/** Throws {@link UsageError} for an unknown column. */
function chosenFrom(columns: readonly string[], names: string): readonly string[] {
  const chosen = names.split(',').map((name) => name.trim().toLowerCase().replaceAll(/[ -]/g, '_'))
  const unknown = chosen.find((name) => !columns.includes(name))
  if (unknown === undefined) return chosen
  const fault = unknown === '' ? 'a name is empty' : `there is no column ${unknown}`
  throw new UsageError(`--columns ${JSON.stringify(names)}: ${fault}. The columns are ${columns.join(', ')}.`)
}

export type Row = Readonly<Record<string, string | number | boolean | null | undefined>>

/** A table's row, with all of its columns. */
export type RowOf<Columns extends readonly string[]> = Readonly<Record<Columns[number], Row[string]>>

/** Prints one JSON document on one line, or the text for people. */
export function print({ streams }: ToStreams, options: CommonOptions, value: unknown, human: string): void {
  streams.stdout.write(
    options.json ? `${escaped(JSON.stringify(value))}\n` : human === '' ? '' : `${typed(human, streams)}\n`,
  )
}

/**
 * Prints a JSON array of the rows, or a table with the column names in capitals, or `empty` without rows. At
 * a terminal the table fits its width.
 */
export function printList(
  context: ToStreams,
  options: CommonOptions,
  rows: readonly Row[],
  { columns, empty }: { readonly columns: readonly string[]; readonly empty: string },
): void {
  const { stdout } = context.streams
  if (options.json || rows.length === 0) {
    print(context, options, rows, empty)
    return
  }
  const chosen = options.columns ?? columns
  const width = stdout.isTTY ? stdout.columns : undefined
  const { lines, cut } = fitTable([titlesOf(chosen), ...cellsOf(rows, chosen)], { width })
  const [titles = '', ...rest] = lines
  stdout.write([coloured('bold', titles, stdout), ...rest, ''].join('\n'))
  if (cut) noteCut(context.streams)
}

export const noteCut = (streams: Streams): void =>
  note(
    streams,
    'Values that end in … are cut. Select columns with --columns, or pass --json for whole values.',
  )

/** Returns lines below the column names in capitals. */
export const tableOf = (rows: readonly Row[], columns: readonly string[]): string =>
  fitTable([titlesOf(columns), ...cellsOf(rows, columns)]).lines.join('\n')

export const titlesOf = (columns: readonly string[]): readonly string[] =>
  columns.map((column) => column.toUpperCase().replaceAll('_', ' '))

export const cellsOf = (rows: readonly Row[], columns: readonly string[]): readonly (readonly string[])[] =>
  rows.map((row) => columns.map((column) => printable(row[column])))

/** Returns the given options as on a command line: `--brand acme --quarantined`. */
export const flagsOf = (options: object): string =>
  Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const flag = `--${name.replaceAll(/_|(?=[A-Z])/g, '-').toLowerCase()}`
      return value === true ? flag : harmless(`${flag} ${[value].flat().join(', ')}`)
    })
    .join(' ')

/** Returns the number with its noun: `1 entry`, `2 entries`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

function printable(value: Row[string]): string {
  if (value === null || value === undefined || value === '') return '-'
  // A line break would end the row.
  return harmless(String(value).replace(/[\t\r\n]+/g, ' '))
}

/** Returns the fields of one record, a line each. */
export function details(row: Row): string {
  const width = Math.max(...Object.keys(row).map((name) => name.length)) + 1
  return Object.entries(row)
    .map(([name, value]) => `${`${name.replaceAll('_', ' ')}:`.padEnd(width)} ${printable(value)}`)
    .join('\n')
}

/** Prints a line for the user that is not part of the answer. */
export function note(streams: Streams, line: string): void {
  streams.stderr.write(`${typed(line, streams)}\n`)
}
