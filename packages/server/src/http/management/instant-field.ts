import { invalidField } from '../../errors.ts'

/**
 * An instant whose form the schema has looked at: RFC 3339 with `Z`. Throws {@link RequestError} `invalid-field` for a
 * day that does not exist.
 */
export function instantField(field: string, text: string): Date {
  const at = new Date(text)
  // Date takes 31 February, and hour 24, for another day.
  if (!Number.isNaN(at.getTime()) && at.toISOString().slice(0, 19) === text.slice(0, 19)) return at
  throw invalidField(`${field} is a date or time that does not exist.`, { field })
}
