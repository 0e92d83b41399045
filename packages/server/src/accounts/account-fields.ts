/** The rules for usernames, email addresses and display names. All throw `invalid-field` and name the rule. */
import { isUsername, type Username } from '@ratafia/api'
import { invalidField } from '../errors.ts'
import { normalEmail, withoutMailto } from '../text/email-address.ts'
import { findsUnsafe } from '../text/joiners.ts'

/** The longest address that SMTP can carry (RFC 5321, 4.5.3.1.3), in bytes. */
const MAX_EMAIL_BYTES = 254
/** In code points. */
const MAX_NAME_LENGTH = 128

// Controls, invisible characters, line separators and lone surrogates make a name look like another one, or break a log
// or a terminal. A space inside a name is fine, and so is a variant of an emoji or of a Mongolian letter.
const UNSAFE =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u2800\ufff9-\ufffb]|(?!(?<=\p{Extended_Pictographic})\ufe0f|(?<=\p{Script=Mongolian})[\u180b-\u180d\u180f])\p{Default_Ignorable_Code_Point}/u

/** How `revoked-by` names the operator, so no account may have this name. */
export const OPERATOR = 'operator'

export function checkUsername(text: string): Username {
  if (text === OPERATOR) {
    throw invalidField(`The username "${OPERATOR}" means whoever runs the service. Choose another.`, {
      field: 'username',
    })
  }
  if (isUsername(text)) return text
  throw invalidField(
    'A username has 2 to 28 of a-z, 0-9 and "-", begins and ends with a letter or digit, and has no two dashes together.',
    { field: 'username' },
  )
}

/**
 * Returns the address as it is stored, in its normal spelling. Refuses only what is surely wrong: only a letter to the
 * address can tell whether it exists.
 */
export function checkEmail(typed: string): string {
  const field = 'email'
  const text = withoutMailto(typed)
  if (Buffer.byteLength(text) > MAX_EMAIL_BYTES) {
    throw invalidField(`An email address has at most ${MAX_EMAIL_BYTES} bytes.`, { field })
  }
  if (!isEmail(text)) {
    const rule = 'An email address looks like "name@example.org", without spaces or control characters.'
    throw invalidField(rule, { field })
  }
  return normalEmail(text)
}

/** The username or e-mail address of a sign-in as accounts are stored and compared, from what a user typed. */
export function loginName(text: string): string {
  // People type capitals, which no username has and which make no difference in an e-mail address.
  const typed = asciiLower(withoutMailto(text).trim())
  return isEmail(typed) ? asciiLower(normalEmail(typed)) : typed
}

/** As the database compares addresses. */
export const asciiLower = (text: string): string => text.replaceAll(/[A-Z]+/g, (some) => some.toLowerCase())

/** Whether an account may have it. */
export const isEmail = (text: string): boolean =>
  text.length <= MAX_EMAIL_BYTES &&
  Buffer.byteLength(text) <= MAX_EMAIL_BYTES &&
  !findsUnsafe(text, UNSAFE) &&
  /^[^\s@<>,;"]+@[^\s@<>,;"]+$/u.test(text)

export function checkDisplayName(text: string): string {
  const name = text.trim()
  if (isDisplayName(name)) return name
  const rule = `A display name has 1 to ${MAX_NAME_LENGTH} characters and no control or invisible ones.`
  throw invalidField(rule, { field: 'name' })
}

/** Of a text without spaces around it. */
export const isDisplayName = (text: string): boolean =>
  text !== '' && [...text].length <= MAX_NAME_LENGTH && !findsUnsafe(text, UNSAFE)
