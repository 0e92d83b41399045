import { TextDecoder } from 'node:util'
import { encodingOf } from '../files/foreign-text.ts'

/** A row of a dump, independent of the form of its file. */
export interface DumpRow {
  readonly table: string
  /** The place in messages: `FILE, line 7`. */
  readonly place: string
  /** The values by column. Null where the database has no value. */
  readonly fields: Readonly<Record<string, string | null>>
}

export interface DumpFile {
  /** The name in messages. */
  readonly name: string
  readonly form: 'sql' | 'csv'
  /** The table's name, for a CSV file. */
  readonly table?: string | undefined
  /** Each call yields the bytes of the file from the beginning. */
  open(): AsyncIterable<Uint8Array>
}

export interface Line {
  /** Counted from 1. */
  readonly number: number
  readonly text: string
}

/** Yields lines. Only a newline ends a line, because a value can contain other line breaks. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let decoder: TextDecoder | undefined
  let rest = ''
  let number = 0
  for await (const chunk of bytes) {
    // PowerShell redirects the output of a dump as UTF-16.
    decoder ??= new TextDecoder(encodingOf(chunk))
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) yield { number: ++number, text }
  }
  rest += decoder?.decode() ?? ''
  if (rest !== '') yield { number: ++number, text: rest }
}
