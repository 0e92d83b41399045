import { invalidField } from '../../errors.ts'
import { instantIn } from './instant-text.ts'

/**
 * Reads an instant whose form the schema has checked: a date, or RFC 3339 with a zone. Throws {@link
 * RequestError} `invalid-field` for a day that does not exist.
 */
export function instantField(field: string, text: string): Date {
  const at = instantIn(text)
  if (at) return at
  throw invalidField(`${field} is a date or time that does not exist.`, { field })
}
