import { MacaroonError } from './errors.ts'

const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/
const URL_SAFE = /^[A-Za-z0-9_-]*={0,2}$/

/**
 * Reads base64 in the standard or the URL-safe alphabet, with or without padding, as bakery clients write all four.
 * Throws {@link MacaroonError} `malformed` for anything else: both alphabets in one text, white space, padding of a
 * wrong length, a length no bytes have, or last bits that are not zero (two texts of one value).
 */
export function decodeBase64(text: string): Uint8Array {
  if (!STANDARD.test(text) && !URL_SAFE.test(text)) throw malformed()
  const digits = text.endsWith('==') ? text.length - 2 : text.endsWith('=') ? text.length - 1 : text.length
  const padded = digits !== text.length
  if (digits % 4 === 1 || (padded && text.length % 4 !== 0)) throw malformed()
  // Node reads both alphabets and drops unknown characters: the checks above have refused those.
  const bytes = Buffer.from(text, 'base64')
  const last = text.slice(digits - (digits % 4), digits)
  if (last !== '' && encodeBase64Url(bytes.subarray(bytes.length - (last.length - 1))) !== toUrlSafe(last)) {
    throw malformed()
  }
  return bytes
}

/** Writes URL-safe base64 without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url')
}

/** Writes standard base64 with padding, as public keys and wait tokens are written. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

function toUrlSafe(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_')
}

function malformed(): MacaroonError {
  return new MacaroonError('malformed', 'Not base64: use one alphabet (standard or URL-safe), padded or not')
}
