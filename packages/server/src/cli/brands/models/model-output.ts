/** The output of commands that change a model. */
import type { JsonObject } from '../../../foreign-json.ts'
import type { CommandContext, CommonOptions } from '../../context.ts'
import { note, print } from '../../output.ts'

/** Returns the fields of a service's record that lists of models also have. */
export function listedFields(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !OF_ONE.has(name)))
}

/** The fields that only the record of a single model has. */
const OF_ONE: ReadonlySet<string> = new Set([
  ...['warnings_by_setting', 'revision', 'display_name', 'architecture', 'base', 'grade', 'classic'],
  ...['signed_at', 'store', 'serial_authority', 'signer', 'signer_fault'],
])

/** Prints a model, and its warnings on standard error. */
export function printModel(
  context: CommandContext,
  options: CommonOptions,
  record: JsonObject,
  told: string,
): void {
  print(context, options, record, told)
  const { warnings } = record
  if (options.json || !Array.isArray(warnings)) return
  for (const warning of warnings) note(context.streams, `Warning: ${warning}`)
}
