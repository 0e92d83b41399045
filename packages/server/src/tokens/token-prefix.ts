/** The first characters of every token of an installation: secret scanners look for them. */
import { encodeBase64Url, encodeBinary, mint } from '@ratafia/macaroon'

/**
 * Covers version, location, and the first byte of the identifier, which marks a token. `id` is the identifier of any
 * token: the bytes after the first are not used.
 */
export function tokenPrefix(location: string, id: Uint8Array): string {
  const bytes = encodeBinary(mint({ rootKey: new Uint8Array(32), id, location }))
  const constant = Buffer.from(bytes).indexOf(id) + 1
  // Base64 encodes groups of six bits: only whole groups are the same in every token.
  return encodeBase64Url(bytes.subarray(0, constant)).slice(0, Math.floor((constant * 8) / 6))
}
