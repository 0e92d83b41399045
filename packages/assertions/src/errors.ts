/** The reason why an assertion, a key or a signature was refused. */
export type AssertionErrorCode =
  // Its text:
  | 'not-text' // not UTF-8.
  | 'incomplete' // the blank line before the signature is missing, or the stream ends before it.
  | 'missing-signature' // the signature is empty.
  | 'malformed-line' // a line of the headers does not follow the grammar.
  | 'repeated-header' // a header appears twice.
  | 'body-length-mismatch' // the length of the body is not its `body-length`.
  | 'limit-exceeded' // larger than the limits allow; it may be well formed.
  // Its headers:
  | 'unknown-type' // this package does not know its type.
  | 'missing-header' // a header that its type requires is missing.
  | 'empty-header' // a header that its type requires has no value.
  | 'malformed-header' // a header's value does not have the form that its type requires.
  | 'unexpected-header' // its type does not allow this header.
  | 'header-mismatch' // a header contradicts another one, or the key that it names.
  | 'unexpected-type' // a well-formed assertion, but not of the requested type.
  | 'unsupported-format' // its format is newer than this package knows for its type.
  // Keys and signatures:
  | 'malformed-key' // not a key in the required encoding, or an unusable one.
  | 'unsupported-key' // a key, but not of the kind and version that assertions are signed with.
  | 'malformed-signature' // not a signature in the encoding of assertions.
  | 'unsupported-signature' // a signature, but with an unknown version, algorithm, hash or critical subpacket.
  | 'weak-hash' // the policy does not accept the hash of the signature.
  | 'weak-key' // the key has fewer (or more) bits than the policy accepts.
  | 'bad-signature' // changed after it was signed, or signed with a different key.
  // Trust:
  | 'unknown-key' // there is no account-key assertion for the key it names.
  | 'wrong-key' // it does not name the key that must sign it.
  | 'key-not-yet-valid' // the signing key is not valid yet.
  | 'key-expired' // the signing key has expired.
  | 'timestamp-outside-validity' // its timestamp is outside the validity of the signing key.
  | 'not-allowed' // the constraints of the signing key do not allow this assertion.
  | 'untrusted' // its chain does not lead to a trusted root.
  | 'untrusted-signer' // only a trusted account may sign this, and a different account did.
  | 'missing-account' // there is no account assertion for an account it names.
  | 'missing-key' // a trusted account has no key among the roots.
  | 'authority-not-allowed' // the model does not let this account sign its serials.
  // Replacing another:
  | 'same-revision' // the stored assertion has this revision already.
  | 'older-revision' // the stored assertion has a higher revision.

/**
 * An error in the assertion; a caller's mistake is a `TypeError`. The message is one line, short enough for
 * `snap changes`, and contains no private key. Distinguish cases by `code`, because messages can change.
 */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
  readonly code: AssertionErrorCode

  constructor(code: AssertionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
