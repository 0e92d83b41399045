/** Why the operator decided so: it is shown in lists and, of a rejection, on the device. */
import { RequestError } from '../errors.ts'

export const REASON_CHARACTERS = 200

/** One line of printable text. Throws {@link RequestError} `invalid-field`. */
export function checkReason(text: string): string {
  const reason = text.trim()
  if (/^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(reason)) return reason
  throw new RequestError(
    'invalid-field',
    `A reason is one line of 1 to ${REASON_CHARACTERS} printable characters.`,
    { extra: { field: 'reason' } },
  )
}
