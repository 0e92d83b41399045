/** The reason of an operator's decision: lists show it, and a rejected device gets it too. */
import { invalidField } from '../errors.ts'

/** One line of printable text, trimmed. Throws `RequestError` `invalid-field`. */
export function checkReason(text: string): string {
  const reason = text.trim()
  if (/^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(reason)) return reason
  throw invalidField('A reason is one line of 1 to 200 printable characters.', { field: 'reason' })
}
