/** The first characters that every secret of an installation has, which secret scanners can look for. */
import { encodeBase64Url, encodeBinary, mint } from '@ratafia/macaroon'

/**
 * Returns the prefix of tokens. It covers the version, the location, and the first byte of the identifier,
 * which marks a token. `id` is the identifier of any token; the bytes after the first are not used.
 */
export function tokenPrefix(location: string, id: Uint8Array): string {
  const bytes = encodeBinary(mint({ rootKey: new Uint8Array(32), id, location }))
  const constant = Buffer.from(bytes).indexOf(id) + 1
  return beginningOf(bytes.subarray(0, constant))
}

/**
 * Returns the prefixes of the root of a password login, and of the credential that snapcraft stores for one. In version
 * 1 the location comes first, in a line of its own, and the length of the next line begins with a zero.
 */
export function rootPrefixes(location: string): { readonly root: string; readonly stored: string } {
  const line = `location ${location}\n`
  const length = (line.length + 4).toString(16).padStart(4, '0')
  const root = beginningOf(Buffer.from(`${length}${line}0`))
  return { root, stored: beginningOf(Buffer.from(`{"t": "u1-macaroon", "v": {"r": "${root}`)) }
}

/** Base64 encodes groups of six bits. Only complete groups are the same for all possible continuations. */
const beginningOf = (bytes: Uint8Array): string =>
  encodeBase64Url(bytes).slice(0, Math.floor((bytes.length * 8) / 6))
