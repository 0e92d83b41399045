import { TextDecoder } from 'node:util'
import { encodingOf } from '../files/foreign-text.ts'

/** The rows of a dump by table, whatever the form of its files. */
export interface DumpRow {
  readonly table: string
  /** For messages: `FILE, line 7`. */
  readonly place: string
  /** By column. Null where the database has no value. */
  readonly fields: Readonly<Record<string, string | null>>
}

export interface DumpFile {
  /** For messages. */
  readonly name: string
  readonly form: 'sql' | 'csv'
  /** Only of a CSV file. */
  readonly table?: string | undefined
  /** Each call yields the bytes of the file from the beginning. */
  open(): AsyncIterable<Uint8Array>
}

export interface Line {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/** Only a newline ends a line: a value may contain other line breaks. */
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
