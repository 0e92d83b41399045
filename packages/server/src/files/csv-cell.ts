/**
 * A spreadsheet runs a CSV cell that begins like a formula, and devices choose some of our texts. Such a text gets an
 * apostrophe in front, as spreadsheets themselves write it. So does one that begins with an apostrophe, so that
 * {@link plainCell} returns every text as it was.
 */

/** Ids of keys may begin with a dash: a cell of letters, digits, dashes and underscores computes nothing. */
const FORMULA = /^(?:['=+@\t\r]|-(?![\w-]*$))/

export const guardedCell = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

export const plainCell = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text
