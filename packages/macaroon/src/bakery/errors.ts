/**
 * Why a bakery caveat, macaroon or discharge was refused.
 * - `malformed`: not a caveat id, key, namespace or bakery macaroon.
 * - `unsupported-version`: a version this package does not know.
 * - `limit-exceeded`: larger than is accepted.
 * - `payload-missing`: a short caveat id came without the payload it stands for.
 * - `public-key-mismatch`: the caveat is sealed to another key; who adds caveats should fetch ours again.
 * - `undecryptable`: sealed to our key, it says, but it does not open: changed, or made wrongly.
 * - `weak-root-key`: the caveat carries a root key that could be guessed.
 * - `wrong-discharge`: a discharge is not for the caveat it was asked for.
 * - `not-local`: a caveat for the client itself says something other than `true`.
 */
export type BakeryErrorCode =
  | 'malformed'
  | 'unsupported-version'
  | 'limit-exceeded'
  | 'payload-missing'
  | 'public-key-mismatch'
  | 'undecryptable'
  | 'weak-root-key'
  | 'wrong-discharge'
  | 'not-local'

/** What came from outside is at fault, not the caller: a caller's mistake is a `TypeError`. Holds no key. */
export class BakeryError extends Error {
  override readonly name = 'BakeryError'
  readonly code: BakeryErrorCode

  constructor(code: BakeryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
