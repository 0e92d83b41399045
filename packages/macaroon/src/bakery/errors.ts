/** The reason why a bakery caveat, macaroon or discharge was refused. */
export type BakeryErrorCode =
  | 'malformed' // not a caveat id, key, namespace or bakery macaroon.
  | 'unsupported-version' // a version this package does not know.
  | 'limit-exceeded' // larger than the limits allow.
  | 'payload-missing' // a short caveat id came without its payload.
  | 'public-key-mismatch' // the caveat is sealed to a different key; the service that adds caveats should fetch ours again.
  | 'undecryptable' // it claims to be sealed to our key but does not open: it was changed, or sealed wrongly.
  | 'weak-root-key' // the caveat contains a root key that could be guessed.
  | 'wrong-discharge' // a discharge is for a different caveat than the one requested.
  | 'not-local' // a caveat for the client itself has a condition other than `true`.

/** An error in outside input; a caller's mistake is a `TypeError`. The message never contains a key. */
export class BakeryError extends Error {
  override readonly name = 'BakeryError'
  readonly code: BakeryErrorCode

  constructor(code: BakeryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
