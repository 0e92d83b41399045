/**
 * Limits of an imported file, checked before a parser sees it: a few megabytes of separators or brackets
 * would keep a parser busy for seconds. Each check returns the error, or undefined.
 */

/** The maximum number of columns in a CSV file. */
const MOST_COLUMNS = 64
/** The maximum number of fields in a file that is parsed as a whole: 100,000 rows of four columns, and some. */
const MOST_VALUES = 500_000
/** The deepest nesting of a JSON value: rows are flat, and evidence in them is a list of objects. */
const MOST_DEPTH = 8

/** Returns a check for a CSV file's pieces, in order. It limits each line's columns and, to `values`, all fields. */
export function csvLimits(
  delimiter: string,
  values = Number.POSITIVE_INFINITY,
): (piece: string) => string | undefined {
  let line = 1
  let columns = 1
  let fields = 1
  let quoted = false
  const separator = delimiter.charCodeAt(0)
  return (piece) => {
    for (let at = 0; at < piece.length; at++) {
      const sign = piece.charCodeAt(at)
      if (sign === QUOTE) quoted = !quoted
      if (sign === NEWLINE) line++
      if (quoted) continue
      if (sign === RETURN && piece.charCodeAt(at + 1) === NEWLINE) continue
      if (sign === NEWLINE || sign === RETURN) columns = 1
      else if (sign === separator) columns++
      else continue
      if (columns > MOST_COLUMNS) return `line ${line}: this line has more than ${MOST_COLUMNS} columns.`
      if (++fields > values) return TOO_MANY
    }
    return undefined
  }
}

/** Checks a CSV text that is parsed as a whole. */
export const csvFault = (text: string, delimiter: string): string | undefined =>
  csvLimits(delimiter, MOST_VALUES)(text)

/** Checks the depth of a JSON text and the number of its values. */
export function jsonFault(text: string): string | undefined {
  let depth = 0
  let values = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (quoted) {
      if (sign === BACKSLASH) at++
      else if (sign === QUOTE) quoted = false
      continue
    }
    if (sign === QUOTE) quoted = true
    else if (sign === OPEN_LIST || sign === OPEN_OBJECT) {
      depth++
      values++
    } else if (sign === CLOSE_LIST || sign === CLOSE_OBJECT) depth--
    else if (sign === COMMA) values++
    if (depth > MOST_DEPTH) return `the JSON is nested more than ${MOST_DEPTH} levels deep.`
    if (values > MOST_VALUES) return TOO_MANY
  }
  return undefined
}

/** Checks the number of lines of a string with a value in each line. */
export function linesFault(text: string): string | undefined {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (++lines > MOST_VALUES) return TOO_MANY
  }
  return undefined
}

const TOO_MANY = `The file has more than ${MOST_VALUES} values. Split it, and import the parts one by one.`

const QUOTE = '"'.charCodeAt(0)
const COMMA = ','.charCodeAt(0)
const NEWLINE = '\n'.charCodeAt(0)
const RETURN = '\r'.charCodeAt(0)
const BACKSLASH = '\\'.charCodeAt(0)
const OPEN_LIST = '['.charCodeAt(0)
const CLOSE_LIST = ']'.charCodeAt(0)
const OPEN_OBJECT = '{'.charCodeAt(0)
const CLOSE_OBJECT = '}'.charCodeAt(0)
