// Angle brackets outside code would be HTML tags.
const cell = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .replace(/<(?=[a-z])(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)/g, '\\<')

/** Returns a row of a table in Markdown. */
export const tableRow = (...cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
