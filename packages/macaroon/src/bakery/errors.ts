/** Why a bakery caveat, macaroon or discharge was refused. */
export type BakeryErrorCode =
  | 'malformed' // not a caveat id, key, namespace or bakery macaroon.
  | 'unsupported-version' // a version this package does not know.
  | 'limit-exceeded' // larger than is accepted.
  | 'payload-missing' // a short caveat id came without its payload.
  | 'public-key-mismatch' // the caveat is sealed to another key; the service that adds caveats should fetch ours again.
  | 'undecryptable' // it claims to be sealed to our key but does not open: changed, or made wrongly.
  | 'weak-root-key' // the caveat carries a root key that could be guessed.
  | 'wrong-discharge' // a discharge is for another caveat than the one requested.
  | 'not-local' // a caveat for the client itself says something other than `true`.

/** What came from outside is at fault, not the caller: a caller's mistake is a `TypeError`. Contains no key. */
export class BakeryError extends Error {
  override readonly name = 'BakeryError'
  readonly code: BakeryErrorCode

  constructor(code: BakeryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
