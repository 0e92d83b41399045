/** Why a macaroon was refused. */
export type MacaroonErrorCode =
  | 'malformed' // the bytes, the base64 or the JSON are not a macaroon.
  | 'unsupported-version' // it claims a version that this package does not know.
  | 'limit-exceeded' // it may be well formed, but is larger than `Limits` allow.
  | 'bad-signature' // it was changed, was made with another root key, or a discharge is not bound to this root.
  | 'discharge-missing' // a third-party caveat has no discharge in the slice.
  | 'discharge-unused' // the slice has a discharge that no caveat asks for.
  | 'discharge-reused' // two caveats ask for the same discharge.
  | 'condition-not-text' // signed correctly, but a first-party caveat is not UTF-8, so nothing can check it.

/** The macaroon is at fault, not the caller: a caller's mistake is a `TypeError`. Contains no key and no signature. */
export class MacaroonError extends Error {
  override readonly name = 'MacaroonError'
  readonly code: MacaroonErrorCode

  constructor(code: MacaroonErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
