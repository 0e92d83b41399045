/** What commands that change a model show of the record that a service answers with. */
import type { JsonObject } from '../../../foreign-json.ts'

/** What a list has of a model. */
export function listedFields(record: JsonObject): JsonObject {
  const { revision: _, store: __, serial_authority, signer, signer_fault, ...listed } = record
  return listed
}
