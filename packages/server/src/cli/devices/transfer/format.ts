/** The option for the format of a file of devices. */
import { type Command, Option } from 'commander'

export interface FormatOption {
  readonly format?: 'csv' | 'json'
}

export const withFormat = (command: Command): Command =>
  command.addOption(
    new Option('--format <format>', 'the format of the file (default: by its extension)').choices([
      'csv',
      'json',
    ]),
  )
