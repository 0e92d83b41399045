/** The reason why a macaroon was refused. */
export type MacaroonErrorCode =
  | 'malformed' // the bytes, the base64 or the JSON are not a macaroon.
  | 'unsupported-version' // it claims a version that this package does not know.
  | 'limit-exceeded' // larger than the `Limits` allow; it may be well formed.
  | 'bad-signature' // it was changed, was minted with a different root key, or a discharge is not bound to this root.
  | 'discharge-missing' // a third-party caveat has no discharge in the slice.
  | 'discharge-unused' // the slice has a discharge that no caveat asks for.
  | 'discharge-reused' // two caveats ask for the same discharge.
  | 'condition-not-text' // the signature is valid, but a first-party caveat is not UTF-8, so it can't be checked.

/** An error in the macaroon; a caller's mistake is a `TypeError`. The message never contains a key or a signature. */
export class MacaroonError extends Error {
  override readonly name = 'MacaroonError'
  readonly code: MacaroonErrorCode

  constructor(code: MacaroonErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
