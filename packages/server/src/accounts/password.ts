/** What a password may be, and the one byte sequence it stands for. */
import { RequestError } from '../errors.ts'

/** In characters: the least that NIST SP 800-63B lets a person choose. */
export const MIN_PASSWORD_LENGTH = 8
/** In bytes after normalisation: longer ones only serve to keep the service busy. */
export const MAX_PASSWORD_BYTES = 1024

/**
 * The bytes to hash: Unicode NFC, so that one password typed on two keyboards is one. `undefined` when the text
 * can be no password here: too long, or not well-formed Unicode (which would be hashed as another text).
 */
export function passwordBytes(text: string): Uint8Array | undefined {
  // Normalisation can shorten a text but not to a third; the check before it bounds the work.
  if (text.length > 3 * MAX_PASSWORD_BYTES || !text.isWellFormed()) return undefined
  const bytes = Buffer.from(text.normalize('NFC'))
  return bytes.length <= MAX_PASSWORD_BYTES ? bytes : undefined
}

/** The bytes of a password that is being chosen. Throws `invalid-field` with the rule it breaks. */
export function chosenPasswordBytes(text: string): Uint8Array {
  const bytes = passwordBytes(text)
  if (bytes !== undefined && [...text.normalize('NFC')].length >= MIN_PASSWORD_LENGTH) return bytes
  throw new RequestError(
    'invalid-field',
    `A password has at least ${MIN_PASSWORD_LENGTH} characters and at most ${MAX_PASSWORD_BYTES} bytes.`,
    { extra: { field: 'password' } },
  )
}
