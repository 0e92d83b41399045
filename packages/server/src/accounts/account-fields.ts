/** What a username, an email address and a display name may be. All throw `invalid-field` and say the rule. */
import { isUsername, type Username } from '@ratafia/api'
import { RequestError } from '../errors.ts'

/** The longest address that SMTP can carry (RFC 5321, 4.5.3.1.3), in bytes. */
const MAX_EMAIL_BYTES = 254
/** In code points. */
const MAX_NAME_LENGTH = 128

// Controls, the invisible and bidirectional marks, line separators, lone surrogates: these make a name look like
// another one, or break a log or a terminal. A space inside a name is not among them.
const UNSAFE =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u

/** What `revoked-by` says of the operator: nobody else may look like it. */
export const OPERATOR = 'operator'

export function checkUsername(text: string): Username {
  if (text === OPERATOR) {
    throw new RequestError(
      'invalid-field',
      `The username "${OPERATOR}" stands for whoever runs the service. Choose another.`,
      { extra: { field: 'username' } },
    )
  }
  if (isUsername(text)) return text
  throw new RequestError(
    'invalid-field',
    'A username is 2 to 28 of a-z, 0-9 and "-", begins and ends with a letter or digit, and has no two dashes together.',
    { extra: { field: 'username' } },
  )
}

/** Only what is surely wrong is refused: whether an address exists, only a letter to it can tell. */
export function checkEmail(text: string): string {
  const refuse = (rule: string) => new RequestError('invalid-field', rule, { extra: { field: 'email' } })
  if (Buffer.byteLength(text) > MAX_EMAIL_BYTES)
    throw refuse(`An email address has at most ${MAX_EMAIL_BYTES} bytes.`)
  if (UNSAFE.test(text) || !/^[^\s@<>,;"]+@[^\s@<>,;"]+$/u.test(text)) {
    throw refuse('An email address looks like "name@example.org", without spaces or control characters.')
  }
  return text
}

export function checkDisplayName(text: string): string {
  const name = text.trim()
  if (name === '' || [...name].length > MAX_NAME_LENGTH || UNSAFE.test(name)) {
    throw new RequestError(
      'invalid-field',
      `A display name has 1 to ${MAX_NAME_LENGTH} characters and no control or invisible ones.`,
      { extra: { field: 'name' } },
    )
  }
  return name
}
