import { hash, verify as verifyRsa } from 'node:crypto'
import type { UnverifiedAssertion } from '../assertion.ts'
import { AssertionError } from '../errors.ts'
import { checkHashPolicy, checkKeyPolicy, DEFAULT_POLICY, type Policy } from '../trust/policy.ts'
import { keyObjectOf, type PublicKey } from './public-key.ts'
import { decodeSignature, type UnverifiedSignature } from './signature-packet.ts'

const RSA = 1

/**
 * Checks that this key signed the assertion, with a hash and a key size that the policy accepts. Does not
 * check whose key it is and whether it may sign this; `verifyTrust` does. For a device-session-request, pass
 * the `deviceKey` of the device's serial.
 *
 * Throws {@link AssertionError} `wrong-key` when the assertion names a different key, `malformed-signature`,
 * `unsupported-signature`, `weak-key`, `weak-hash`, `malformed-key` or `bad-signature`. contract/devices.md 3.5.
 */
export function verifySignature(
  assertion: UnverifiedAssertion,
  key: PublicKey,
  policy: Policy = DEFAULT_POLICY,
): void {
  if (assertion.signKeyId !== key.id) {
    const keys = `${assertion.signKeyId}, not ${key.id}`
    throw new AssertionError('wrong-key', `the ${assertion.type} names a different signing key: ${keys}`)
  }
  const signature = decodeSignature(assertion.signature)
  checkKeyPolicy(key, policy)
  checkHashPolicy(signature, policy)
  if (!verifies(signature, assertion.content, key)) {
    const fault = `the signature of the ${assertion.type} does not match`
    throw new AssertionError(
      'bad-signature',
      `${fault}: it was changed after signing, or signed with a different key`,
    )
  }
}

/**
 * Checks that a request is signed with the key inside it, and returns that key. Throws the errors of
 * {@link verifySignature}.
 */
export function verifySelfSigned(
  request: UnverifiedAssertion<'serial-request' | 'account-key-request'>,
  policy: Policy = DEFAULT_POLICY,
): PublicKey {
  const key = request.type === 'serial-request' ? request.fields.deviceKey : request.fields.publicKey
  verifySignature(request, key, policy)
  return key
}

function verifies(signature: UnverifiedSignature, content: Uint8Array, key: PublicKey): boolean {
  if (signature.algorithm !== RSA) return false
  const message = Buffer.concat([content, signature.hashedSuffix])
  const digest = hash(signature.hash, message, 'binary')
  const [first, second] = signature.hashTag
  if (digest.charCodeAt(0) !== first || digest.charCodeAt(1) !== second) return false
  // Go omits the value's leading zero bytes, but OpenSSL requires as many bytes as the modulus has.
  const missing = key.modulus.length - signature.value.length
  const value = missing > 0 ? Buffer.concat([Buffer.alloc(missing), signature.value]) : signature.value
  return verifyRsa(signature.hash, message, keyObjectOf(key), value)
}
