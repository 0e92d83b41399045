/** What the files of a dump hold, whatever their form: rows by table. */
export interface DumpRow {
  readonly table: string
  /** Where it stands, for messages: `FILE, line 7`. */
  readonly place: string
  /** By column. Null where the database has none. */
  readonly fields: Readonly<Record<string, string | null>>
}

export interface DumpFile {
  /** For messages. */
  readonly name: string
  readonly form: 'sql' | 'csv'
  /** Of a CSV file, which has one. */
  readonly table?: string | undefined
  /** The bytes of the file from their beginning, each time it is called. */
  open(): AsyncIterable<Uint8Array>
}

export interface Line {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/** Lines end with a newline only: other marks may stand inside a value. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder()
  let rest = ''
  let number = 0
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) yield { number: ++number, text }
  }
  rest += decoder.decode()
  if (rest !== '') yield { number: ++number, text: rest }
}
