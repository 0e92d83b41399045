/** The reason of an operator's decision: lists show it, and a rejected device gets it too. */
import { invalidField } from '../errors.ts'
import { isUnprintable } from '../text/joiners.ts'

/** One line of printable text, trimmed. Throws `RequestError` `invalid-field`. */
export function checkReason(text: string): string {
  const reason = text.trim()
  const isLine = reason !== '' && [...reason].length <= 200 && !isUnprintable(reason)
  if (isLine) return reason
  throw invalidField('A reason is one line of 1 to 200 printable characters.', { field: 'reason' })
}
