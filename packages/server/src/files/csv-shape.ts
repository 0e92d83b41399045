/** Finds a table's separator: spreadsheets write semicolons, tabs and a line `sep=;`, by the language of Windows. */

type Refuse = (fault: string) => Error

export interface CsvShape {
  readonly delimiter: string
  /** The line number of the header, from 1. */
  readonly from_line: number
}

const NAMES: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }

/**
 * Reads the separator from the first lines of a file, without a byte order mark. A header consists of names,
 * so a separator in it really separates. Throws the error from `refuse` for a header with several separators.
 */
export function csvShape(text: string, refuse: Refuse): CsvShape {
  const [, said] = /^"?sep=([,;\t|])"?\r?(?:\n|$)/i.exec(text) ?? []
  if (said !== undefined) return { delimiter: said, from_line: 2 }
  const header =
    text
      .slice(0, HEADER_CHARACTERS)
      .split(/\r\n|[\n\r]/)
      .find((line) => line.trim() !== '') ?? ''
  // Text in quotes is part of a name, even if it contains separators.
  const bare = header.replace(/"(?:[^"]|"")*"/g, '')
  const found = Object.keys(NAMES).filter((delimiter) => bare.includes(delimiter))
  if (found.length > 1) {
    const all = found.map((delimiter) => NAMES[delimiter]).join(' and ')
    throw refuse(`line 1: the header line has ${all}. Separate its columns with only one of them.`)
  }
  return { delimiter: found[0] ?? ',', from_line: 1 }
}

/** The maximum length of a header line, longer than any real one. */
export const HEADER_CHARACTERS = 64 * 1024

/** Returns the column names in lower case and trimmed. Throws for a repeated one. */
export function columnNames(header: readonly string[], refuse: Refuse): readonly string[] {
  const names = header.map((name) => name.trim().toLowerCase())
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at)
  if (twice !== undefined) throw refuse(`line 1: the column "${twice.slice(0, 100)}" appears twice.`)
  return names
}

/**
 * A spreadsheet runs a CSV cell that begins like a formula, and devices choose some of our strings. Such a
 * string gets a leading apostrophe, as spreadsheets themselves write it. A string that begins with an
 * apostrophe gets another, so that {@link plainCell} returns every string unchanged. Key ids can begin with a
 * dash, and some spreadsheets also recognise the wide forms of the signs.
 */
const FORMULA = /^['=+@\t\r\n\uff1d\uff0b\uff20\uff0d-]/

export const guardedCell = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

export const plainCell = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text
