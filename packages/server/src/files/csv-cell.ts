/**
 * A spreadsheet runs a CSV cell that begins like a formula, and devices choose some of our texts. Such a text gets an
 * apostrophe in front, as spreadsheets themselves write it. So does one that begins with an apostrophe, so that
 * {@link plainCell} returns every text as it was.
 */

/** Ids of keys can begin with a dash, and some spreadsheets read the wide forms of the signs. */
const FORMULA = /^['=+@\t\r\n\uff1d\uff0b\uff20\uff0d-]/

export const guardedCell = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

export const plainCell = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text
