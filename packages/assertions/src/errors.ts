/** Why an assertion, a key or a signature was refused. */
export type AssertionErrorCode =
  // Its text:
  | 'not-text' // not UTF-8.
  | 'incomplete' // the blank line before the signature is missing, or the stream ends before it.
  | 'missing-signature' // the signature is empty.
  | 'malformed-line' // a line of the headers does not follow the grammar.
  | 'repeated-header' // a header appears twice.
  | 'body-length-mismatch' // the body does not have the length that `body-length` says.
  | 'limit-exceeded' // larger than the limits allow; it may be well formed.
  // Its headers:
  | 'unknown-type' // the registry has no row for its type.
  | 'missing-header' // its type needs this header.
  | 'empty-header' // its type needs this header, and it has no value.
  | 'malformed-header' // the value does not have the form that its type wants.
  | 'unexpected-header' // its type must not have this header.
  | 'header-mismatch' // a header contradicts another one, or the key that it names.
  | 'unexpected-type' // a good assertion, but not of the type that was asked for.
  | 'unsupported-format' // made with a newer format of its type than this package knows.
  // Keys and signatures:
  | 'malformed-key' // not a key in the encoding it should have, or not one that can be used.
  | 'unsupported-key' // a key, but of another kind or version than assertions are signed with.
  | 'malformed-signature' // not a signature in the encoding that assertions have.
  | 'unsupported-signature' // a signature, but of a version, an algorithm or with demands that are unknown here.
  | 'weak-hash' // the policy does not accept the hash of the signature.
  | 'weak-key' // the key has fewer (or more) bits than the policy accepts.
  | 'bad-signature' // changed after it was signed, or signed with another key.
  // Trust:
  | 'unknown-key' // there is no account-key assertion for the key it names.
  | 'wrong-key' // it names another key than the one that must sign it.
  | 'key-not-yet-valid' // the signing key is not valid yet.
  | 'key-expired' // the signing key has expired.
  | 'timestamp-outside-validity' // its timestamp is outside the validity of the signing key.
  | 'not-allowed' // the constraints of the signing key do not allow this assertion.
  | 'untrusted' // its chain does not end at a trusted root.
  | 'untrusted-signer' // only a trusted account may sign this, and another one did.
  | 'missing-account' // there is no account assertion for an account it names.
  | 'missing-key' // a trusted account has no key among the roots.
  | 'authority-not-allowed' // the model does not let this account sign its serials.
  // Replacing another:
  | 'same-revision' // the stored assertion has this revision already.
  | 'older-revision' // the stored assertion has a higher revision.

/**
 * The assertion is at fault, not the caller: a caller's mistake is a `TypeError`. The message is one line, fit
 * for `snap changes`, and contains no private key. Tell cases apart by `code`: messages may change.
 */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
  readonly code: AssertionErrorCode

  constructor(code: AssertionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
