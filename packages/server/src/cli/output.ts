/** How commands answer: tables for people, `--json` for machines. */
import type { Command } from 'commander'
import type { Streams } from './context.ts'

/** Adds `--json` to a command. */
export const withJson = (command: Command): Command => command.option('--json', 'print JSON, for programs')

export interface JsonOption {
  readonly json?: boolean
}

export type Row = Readonly<Record<string, string | number | boolean | null | undefined>>

interface ToStreams {
  readonly streams: Streams
}

/** One JSON document on one line, or the lines a person reads. */
export function print({ streams }: ToStreams, options: JsonOption, value: unknown, human: string): void {
  streams.stdout.write(
    options.json ? `${escaped(JSON.stringify(value))}\n` : human === '' ? '' : `${human}\n`,
  )
}

/** A list: a JSON array of the rows, or a table with the columns in capitals, or `empty` without rows. */
export function printList(
  context: ToStreams,
  options: JsonOption,
  rows: readonly Row[],
  { columns, empty }: { readonly columns: readonly string[]; readonly empty: string },
): void {
  print(context, options, rows, rows.length === 0 ? empty : tableOf(rows, columns))
}

export async function rowsOf<T>(items: AsyncIterable<T>, rowOf: (item: T) => Row): Promise<readonly Row[]> {
  const rows: Row[] = []
  for await (const item of items) rows.push(rowOf(item))
  return rows
}

/** Lines with the columns in capitals above them. */
export function tableOf(rows: readonly Row[], columns: readonly string[]): string {
  const cells = rows.map((row) => columns.map((column) => printable(row[column])))
  const titles = columns.map((column) => column.toUpperCase().replaceAll('_', ' '))
  const widths = titles.map((title, index) =>
    Math.max(title.length, ...cells.map((line) => line[index]?.length ?? 0)),
  )
  return [titles, ...cells]
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** `1 entry`, `2 entries`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

function printable(value: Row[string]): string {
  if (value === null || value === undefined || value === '') return '-'
  // A line break would end the row.
  return harmless(String(value).replace(/[\t\r\n]+/g, ' '))
}

// Controls, invisible and bidirectional marks, line separators.
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Text from elsewhere (a description, a name) must not steer the terminal it is shown on. */
export const harmless = (text: string): string => text.replace(STEERING, '?')

/** JSON keeps its meaning: it has escapes of its own, and JSON.stringify leaves those above ASCII's out. */
const escaped = (json: string): string =>
  json.replace(STEERING, (mark) =>
    // By code unit: some of the marks take two.
    Array.from({ length: mark.length }, (_, at) => mark.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )

/** The fields of one thing, a line each. */
export function details(row: Row): string {
  const width = Math.max(...Object.keys(row).map((name) => name.length)) + 1
  return Object.entries(row)
    .map(([name, value]) => `${`${name.replaceAll('_', ' ')}:`.padEnd(width)} ${printable(value)}`)
    .join('\n')
}

/** A line for the person at the terminal, not part of the answer. */
export function note({ stderr }: Streams, line: string): void {
  stderr.write(`${line}\n`)
}
