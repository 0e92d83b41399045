/** The option `--columns` of the commands that list. */
import { Option } from 'commander'
import { UsageError } from './context.ts'

/** An option whose value is the list of selected columns. Completion proposes `columns`. */
export class ColumnsOption extends Option {
  readonly columns: readonly string[]

  constructor(columns: readonly string[]) {
    super(
      '--columns <names>',
      `the columns to show, in this order, separated by commas: ${columns.join(', ')}`,
    )
    this.columns = columns
    this.argParser((text) => chosenFrom(columns, text))
  }
}

/** Throws {@link UsageError} for an unknown column. */
function chosenFrom(columns: readonly string[], names: string): readonly string[] {
  const chosen = names.split(',').map((name) => name.trim().toLowerCase().replaceAll(/[ -]/g, '_'))
  for (const name of chosen) {
    if (!columns.includes(name)) {
      throw new UsageError(
        `--columns ${names}: there is no column ${name}. The columns are ${columns.join(', ')}.`,
      )
    }
  }
  return chosen
}
