/** What commands that change a model say of it. */
import type { JsonObject } from '../../../foreign-json.ts'
import type { CommandContext } from '../../context.ts'
import { type JsonOption, note, print } from '../../output.ts'

/** What a list has of a model, of the record that a service answers with. */
export function listedFields(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !OF_ONE.has(name)))
}

/** What only the record of a single model has. */
const OF_ONE: ReadonlySet<string> = new Set([
  ...['warnings_by_setting', 'revision', 'display_name', 'architecture', 'base', 'grade', 'classic'],
  ...['signed_at', 'store', 'serial_authority', 'signer', 'signer_fault'],
])

/** Its warnings stand on standard error, where a person reads them. */
export function printModel(
  context: CommandContext,
  options: JsonOption,
  record: JsonObject,
  told: string,
): void {
  print(context, options, record, told)
  const { warnings } = record
  if (options.json || !Array.isArray(warnings)) return
  for (const warning of warnings) note(context.streams, `Warning: ${warning}`)
}
