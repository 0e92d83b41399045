/**
 * The rules for usernames, e-mail addresses and display names. Each check throws `invalid-field` and names the rule.
 */
import { isUsername, type Username } from '@ratafia/api'
import { invalidField, quote } from '../errors.ts'
import { normalEmail, withoutMailto } from '../text/email-address.ts'
import { findsUnsafe } from '../text/joiners.ts'

/** The longest address that SMTP can carry (RFC 5321, 4.5.3.1.3), in bytes. */
const MAX_EMAIL_BYTES = 254
/** The length limit of display names, in code points. */
const MAX_NAME_LENGTH = 128

// Control and invisible characters, line separators and lone surrogates can make a name look like another one, or break
// a log or terminal. Spaces inside a name are fine, and so are variants of emoji and of Mongolian letters.
const UNSAFE =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u2800\ufff9-\ufffb]|(?!(?<=\p{Extended_Pictographic})\ufe0f|(?<=\p{Script=Mongolian})[\u180b-\u180d\u180f])\p{Default_Ignorable_Code_Point}/u

/** The operator's name in `revoked-by`, so no account may have it. */
export const OPERATOR = 'operator'

export function checkUsername(text: string): Username {
  if (text === OPERATOR) {
    throw invalidField(
      `The username "${OPERATOR}" is reserved for the person who runs the service. Choose another.`,
      {
        field: 'username',
      },
    )
  }
  if (isUsername(text)) return text
  throw invalidField(
    'A username has 2 to 28 characters of a-z, 0-9 and "-". It begins and ends with a letter or digit, and has no two dashes in a row.',
    { field: 'username' },
  )
}

/**
 * Returns the address in the normal spelling that is stored. Refuses only addresses that are certainly wrong,
 * because only sending to an address shows whether it exists.
 */
export function checkEmail(typed: string): string {
  const field = 'email'
  const text = withoutMailto(typed)
  if (Buffer.byteLength(text) > MAX_EMAIL_BYTES) {
    throw invalidField(`An e-mail address has at most ${MAX_EMAIL_BYTES} bytes.`, { field })
  }
  if (!isEmail(text)) {
    const rule = `${quote(text)} is not an e-mail address. Write one such as name@example.org.`
    throw invalidField(rule, { field })
  }
  return normalEmail(text)
}

/** Returns the typed username or e-mail address in the spelling in which accounts are stored and compared. */
export function loginName(text: string): string {
  // People type capitals. Usernames do not have any, and e-mail addresses are compared without case.
  const typed = asciiLower(withoutMailto(text).trim())
  return isEmail(typed) ? asciiLower(normalEmail(typed)) : typed
}

/** Lowers A to Z only, as the database does to compare addresses. */
export const asciiLower = (text: string): string => text.replaceAll(/[A-Z]+/g, (some) => some.toLowerCase())

/** Whether an account can have this e-mail address. */
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

/** Whether a trimmed text can be a display name. */
export const isDisplayName = (text: string): boolean =>
  text !== '' && [...text].length <= MAX_NAME_LENGTH && !findsUnsafe(text, UNSAFE)
