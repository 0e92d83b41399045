/** The rules for passwords, and the one byte sequence that each is hashed as. */
import { invalidField } from '../../errors.ts'

/** In characters: the least that NIST SP 800-63B lets a person choose. */
const MIN_PASSWORD_LENGTH = 8
/** In bytes after normalisation: longer ones would only keep the service busy. */
export const MAX_PASSWORD_BYTES = 1024

/**
 * The bytes to hash: Unicode NFC, so that one password typed on two keyboards is the same. `undefined` when the text
 * cannot be a password here: too long, or it would be hashed as another text (not well-formed Unicode, or NULs at the
 * end, with which HMAC and so scrypt fill up a password).
 */
export function passwordBytes(text: string): Uint8Array | undefined {
  // Normalisation never shortens a text to less than a third, so this check before it bounds the work.
  if (text.length > 3 * MAX_PASSWORD_BYTES || !text.isWellFormed() || text.endsWith('\0')) return undefined
  const bytes = Buffer.from(text.normalize('NFC'))
  return bytes.length <= MAX_PASSWORD_BYTES ? bytes : undefined
}

/** The bytes of a newly chosen password. Throws `invalid-field` with the rule when it breaks one. */
export function chosenPasswordBytes(text: string): Uint8Array {
  const bytes = passwordBytes(text)
  if (bytes !== undefined && [...text.normalize('NFC')].length >= MIN_PASSWORD_LENGTH) return bytes
  const rule = `A password has at least ${MIN_PASSWORD_LENGTH} characters and at most ${MAX_PASSWORD_BYTES} bytes.`
  throw invalidField(rule, { field: 'password' })
}
