/** What every token of an installation begins with, so that a secret scanner can look for it. */
import { encodeBase64Url, encodeBinary, mint } from '@ratafia/macaroon'

/**
 * The characters that the binary form begins with, up to and including the byte of the identifier that says it is
 * a token: version, location, identifier. `id` is that of any token; what follows differs from token to token.
 */
export function tokenPrefix(location: string, id: Uint8Array): string {
  const bytes = encodeBinary(mint({ rootKey: new Uint8Array(32), id, location }))
  const constant = Buffer.from(bytes).indexOf(id) + 1
  // Of the last byte only whole groups of six bits are the same in every token.
  return encodeBase64Url(bytes.subarray(0, constant)).slice(0, Math.floor((constant * 8) / 6))
}
