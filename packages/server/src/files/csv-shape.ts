/** What a table is separated with: spreadsheets write semicolons, tabs and a first line `sep=;`, by the language of Windows. */

type Refuse = (fault: string) => Error

export interface CsvShape {
  readonly delimiter: string
  /** The line of the header, from 1. */
  readonly from_line: number
}

const NAMES: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }

/**
 * From the first lines of a file, without a byte order mark. The header has names, so a separator in it is one. Throws what
 * `refuse` makes of a header that has several.
 */
export function csvShape(text: string, refuse: Refuse): CsvShape {
  const [, said] = /^"?sep=([,;\t|])"?\r?(?:\n|$)/i.exec(text) ?? []
  if (said !== undefined) return { delimiter: said, from_line: 2 }
  const header =
    text
      .slice(0, HEADER_CHARACTERS)
      .split(/\r\n|[\n\r]/)
      .find((line) => line.trim() !== '') ?? ''
  // Text in quotes is a name, whatever it has in it.
  const bare = header.replace(/"(?:[^"]|"")*"/g, '')
  const found = Object.keys(NAMES).filter((delimiter) => bare.includes(delimiter))
  if (found.length > 1) {
    const all = found.map((delimiter) => NAMES[delimiter]).join(' and ')
    throw refuse(`line 1: the header line has ${all}. Separate its columns with one of them alone.`)
  }
  return { delimiter: found[0] ?? ',', from_line: 1 }
}

/** More than any header line has. */
export const HEADER_CHARACTERS = 64 * 1024

/** The names of columns, with small letters and without white space around. A repeated one is refused. */
export function columnNames(header: readonly string[], refuse: Refuse): readonly string[] {
  const names = header.map((name) => name.trim().toLowerCase())
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at)
  if (twice !== undefined) throw refuse(`line 1: the column "${twice.slice(0, 100)}" is there twice.`)
  return names
}

/**
 * A spreadsheet runs a CSV cell that begins like a formula, and devices choose some of our texts. Such a text gets an
 * apostrophe in front, as spreadsheets themselves write it. So does one that begins with an apostrophe, so that
 * {@link plainCell} returns every text as it was. Ids of keys can begin with a dash, and some spreadsheets read the wide forms of the
 * signs.
 */
const FORMULA = /^['=+@\t\r\n\uff1d\uff0b\uff20\uff0d-]/

export const guardedCell = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

export const plainCell = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text
