/**
 * Why an assertion, a key or a signature was refused.
 * - `malformed`: the bytes are no assertion: its parts, its header lines, or not UTF-8.
 * - `limit-exceeded`: it may be well formed, but is larger than the limits allow.
 * - `unknown-type`: its type has no row in the registry.
 * - `malformed-header`: a header is missing, is not as its type wants it, or contradicts another.
 * - `malformed-key`: not an RSA key in the form it should have.
 * - `malformed-signature`: not an OpenPGP signature of the form that assertions have.
 * - `unexpected-type`: a good assertion, of another type than was asked for.
 * - `unsupported-format`: made with a newer format of its type than this package knows.
 * - `weak-hash`: the signature's hash is not one the policy accepts.
 * - `weak-key`: the key has fewer (or more) bits than the policy accepts.
 * - `bad-signature`: it was changed after it was signed, or was signed with another key.
 * - `unknown-key`: there is no account-key assertion for the key it names.
 * - `wrong-key`: the key it names is not the key that has to sign it.
 * - `key-not-valid`: now, or the assertion's timestamp, is outside of the signing key's validity.
 * - `not-allowed`: the constraints of the signing key do not allow this assertion.
 * - `untrusted`: only a trusted account may sign this, or its chain does not end at a trusted root.
 * - `inconsistent`: signed well, but another assertion that it needs is missing or says otherwise.
 * - `not-newer`: its revision is not higher than that of the assertion it would replace.
 */
export type AssertionErrorCode =
  | 'malformed'
  | 'limit-exceeded'
  | 'unknown-type'
  | 'malformed-header'
  | 'malformed-key'
  | 'malformed-signature'
  | 'unexpected-type'
  | 'unsupported-format'
  | 'weak-hash'
  | 'weak-key'
  | 'bad-signature'
  | 'unknown-key'
  | 'wrong-key'
  | 'key-not-valid'
  | 'not-allowed'
  | 'untrusted'
  | 'inconsistent'
  | 'not-newer'

/**
 * The assertion is at fault, not the caller: a caller's mistake is a `TypeError`. The message is one line, fit
 * for `snap changes`, and holds no private key.
 */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
  readonly code: AssertionErrorCode

  constructor(code: AssertionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
