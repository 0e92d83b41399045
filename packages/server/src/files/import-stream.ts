/** Reads a large file row by row: CSV with a header line, or a JSON list of objects. */
import { pipeline, Readable } from 'node:stream'
import { CsvError, parse as csvParser } from 'csv-parse'
import { type CsvShape, columnNames, csvShape, HEADER_CHARACTERS } from './csv-shape.ts'
import { textsOr } from './foreign-text.ts'
import { csvLimits } from './import-limits.ts'
import {
  ImportError,
  type ImportFormat,
  type ImportRow,
  objectIn,
  parserSays,
  refuseFault,
  rowInLine,
} from './import-rows.ts'

export interface ImportSource {
  readonly format: ImportFormat
  /** Returns the bytes of the file, from the beginning at every call. */
  open(): AsyncIterable<Uint8Array>
}

/** The maximum length of one row, with all its columns. */
const ROW_CHARACTERS = 8 * 1024 * 1024

/** Yields rows. Each has all columns of the header line, or all members of its object. Throws {@link ImportError}. */
export function streamImportRows(source: ImportSource): AsyncIterable<ImportRow> {
  if (source.format === 'csv') return streamCsv(source)
  return source.format === 'json' ? streamJson(source) : streamLines(source)
}

const refused = (fault: string) => new ImportError(fault)

async function* streamCsv(source: ImportSource): AsyncGenerator<ImportRow> {
  const [shape, text] = await shapeOf(texts(source))
  const parser = pipeline(
    Readable.from(limited(text, shape)),
    csvParser({
      ...shape,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      info: true,
      max_record_size: ROW_CHARACTERS,
    }),
    // The parser itself ends with the error of its source.
    () => {},
  )
  let columns: readonly string[] | undefined
  try {
    for await (const parsed of parser) {
      // This is the shape of a record with `info: true`, which the package's types don't declare.
      const { record, info } = parsed as { record: readonly string[]; info: { lines: number } }
      if (!columns) {
        columns = columnNames(record, refused)
        continue
      }
      yield {
        place: `line ${info.lines}`,
        fields: Object.fromEntries(columns.map((column, index) => [column, record[index]])),
      }
    }
  } catch (error) {
    if (error instanceof CsvError) throw new ImportError(`The file is not CSV: ${parserSays(error)}`)
    throw error
  } finally {
    parser.destroy()
  }
  if (!columns) throw new ImportError('line 1: this is not a header line.')
}

/** Throws {@link ImportError} before the parser gets a piece with too many columns. */
async function* limited(pieces: AsyncIterable<string>, { delimiter }: CsvShape): AsyncGenerator<string> {
  const check = csvLimits(delimiter)
  for await (const piece of pieces) {
    refuseFault(check(piece))
    yield piece
  }
}

/** Returns the shape of a table, and its whole text again. */
async function shapeOf(chunks: AsyncGenerator<string>): Promise<readonly [CsvShape, AsyncIterable<string>]> {
  let first = ''
  for (;;) {
    const { value, done } = await chunks.next()
    first += value ?? ''
    if (done || first.trimStart().includes('\n') || first.length > HEADER_CHARACTERS) break
  }
  async function* whole() {
    yield first
    yield* chunks
  }
  return [csvShape(first, refused), whole()]
}

async function* streamJson(source: ImportSource): AsyncGenerator<ImportRow> {
  let item = 0
  for await (const text of jsonItems(texts(source))) {
    const place = `item ${++item}`
    yield { place, fields: objectIn(text, place) }
  }
}

async function* streamLines(source: ImportSource): AsyncGenerator<ImportRow> {
  let line = 0
  let rest = ''
  for await (const chunk of texts(source)) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > ROW_CHARACTERS) {
      throw new ImportError(`line ${line + 1}: it has more than ${ROW_CHARACTERS} characters.`)
    }
    for (const text of lines) {
      const row = rowInLine(text, ++line)
      if (row) yield row
    }
  }
  const last = rowInLine(rest, line + 1)
  if (last) yield last
}

const texts = (source: ImportSource): AsyncGenerator<string> =>
  textsOr(source.open(), (fault) => refused(`The file ${fault}`))

const NOT_A_LIST = 'The file is not a JSON list of objects.'

/** Cuts a JSON list into the text of each item, without checking them: `JSON.parse` does that. */
async function* jsonItems(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let state = 'before' as 'before' | 'between' | 'inside' | 'after'
  let text = ''
  let depth = 0
  let quoted = false
  let escaped = false
  let needsItem = false
  for await (const chunk of chunks) {
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const sign = chunk[at] ?? ''
      if (state === 'inside') {
        if (quoted) {
          if (escaped) escaped = false
          else if (sign === '\\') escaped = true
          else if (sign === '"') quoted = false
          continue
        }
        if (sign === '"') quoted = true
        else if (sign === '{' || sign === '[') depth++
        else if ((sign === '}' || sign === ']') && depth > 0) depth--
        else if (depth === 0 && (sign === ',' || sign === ']')) {
          yield text + chunk.slice(start, at)
          text = ''
          needsItem = sign === ','
          state = sign === ',' ? 'between' : 'after'
        }
        continue
      }
      if (/\s/.test(sign)) continue
      if (state === 'before' && sign === '[') state = 'between'
      else if (state === 'between' && sign === ']' && !needsItem) state = 'after'
      else if (state === 'between' && sign !== ',' && sign !== ']') {
        state = 'inside'
        start = at
        at--
      } else throw new ImportError(NOT_A_LIST)
    }
    if (state === 'inside') text += chunk.slice(start)
    if (text.length > ROW_CHARACTERS) {
      throw new ImportError(`An item has more than ${ROW_CHARACTERS} characters.`)
    }
  }
  if (state !== 'after') throw new ImportError(NOT_A_LIST)
}
