/** The format of a file of devices. */
import { type Command, Option } from 'commander'

type Format = 'csv' | 'json'

export interface FormatOption {
  readonly format?: Format
}

export const withFormat = (command: Command): Command =>
  command.addOption(
    new Option('--format <format>', 'format of the file (default: by its extension)').choices([
      'csv',
      'json',
    ]),
  )
