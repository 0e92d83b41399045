/** The rules for passwords, and the bytes that are hashed. */
import { invalidField } from '../../errors.ts'

/** The minimum that NIST SP 800-63B allows for chosen passwords, in characters. */
const MIN_PASSWORD_LENGTH = 8
/** The maximum size in bytes after normalisation. Longer passwords would only cost the service time. */
export const MAX_PASSWORD_BYTES = 1024

/**
 * Returns the bytes to hash, in Unicode NFC, so that a password typed on another keyboard is the same. Returns
 * `undefined` for a string that cannot be a password here: it is too long, or another string would have the same hash
 * (it is not well-formed Unicode, or ends with NULs, with which HMAC, and so scrypt, pads passwords).
 */
export function passwordBytes(text: string): Uint8Array | undefined {
  // Normalisation never shortens a string to less than a third, so this check bounds its work.
  if (text.length > 3 * MAX_PASSWORD_BYTES || !text.isWellFormed() || text.endsWith('\0')) return undefined
  const bytes = Buffer.from(text.normalize('NFC'))
  return bytes.length <= MAX_PASSWORD_BYTES ? bytes : undefined
}

/** Returns the bytes of a newly chosen password. Throws `invalid-field` with the rule if it breaks one. */
export function chosenPasswordBytes(text: string): Uint8Array {
  const bytes = passwordBytes(text)
  if (bytes !== undefined && [...text.normalize('NFC')].length >= MIN_PASSWORD_LENGTH) return bytes
  throw invalidField(refusalOf(text), { field: 'password' })
}

function refusalOf(text: string): string {
  if (text === '') return 'Enter a password.'
  if (!text.isWellFormed() || text.endsWith('\0')) return 'The password has characters that are not allowed.'
  if (passwordBytes(text) !== undefined) {
    return `The password is too short: use at least ${MIN_PASSWORD_LENGTH} characters.`
  }
  return `The password is too long: use at most ${MAX_PASSWORD_BYTES.toLocaleString('en')} bytes.`
}
