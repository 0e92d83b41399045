/** The variables as `ratafia serve --help` prints them. */
import { VARIABLES } from './variables.ts'

export function variablesHelp(): string {
  const rows = Object.entries(VARIABLES).map(
    ([name, row]) => `  ${name}\n      ${row.meaning}\n      Default: ${row.default}`,
  )
  return `\nConfiguration by environment variables:\n${rows.join('\n')}`
}
