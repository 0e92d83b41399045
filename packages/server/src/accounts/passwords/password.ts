/** The rules for passwords, and the bytes that are hashed. */
import { invalidField } from '../../errors.ts'

/** The minimum that NIST SP 800-63B allows for chosen passwords, in characters. */
const MIN_PASSWORD_LENGTH = 8
/** In bytes after normalisation. Longer passwords would only cost the service time. */
export const MAX_PASSWORD_BYTES = 1024

/**
 * Returns the bytes to hash, in Unicode NFC, so that a password typed on another keyboard is the same.
 * Returns `undefined` for a text that cannot be a password here: it is too long, or another text would have
 * the same hash (it is not well-formed Unicode, or ends with NULs, with which HMAC, and so scrypt, pads
 * passwords).
 */
export function passwordBytes(text: string): Uint8Array | undefined {
  // Normalisation never shortens a text to less than a third, so this check bounds its work.
  if (text.length > 3 * MAX_PASSWORD_BYTES || !text.isWellFormed() || text.endsWith('\0')) return undefined
  const bytes = Buffer.from(text.normalize('NFC'))
  return bytes.length <= MAX_PASSWORD_BYTES ? bytes : undefined
}

/** Returns the bytes of a newly chosen password. Throws `invalid-field` with the rule if it breaks one. */
export function chosenPasswordBytes(text: string): Uint8Array {
  const bytes = passwordBytes(text)
  if (bytes !== undefined && [...text.normalize('NFC')].length >= MIN_PASSWORD_LENGTH) return bytes
  const rule = `A password has at least ${MIN_PASSWORD_LENGTH} characters and at most ${MAX_PASSWORD_BYTES} bytes.`
  throw invalidField(rule, { field: 'password' })
}
