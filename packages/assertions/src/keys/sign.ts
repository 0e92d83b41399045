import { sign as rsaSign } from 'node:crypto'
import { promisify } from 'node:util'
import type { UnverifiedAssertion } from '../assertion.ts'
import { type SigningInput, writeContent } from '../content.ts'
import { decodeParts, SEPARATOR } from '../decode.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { checkKeyPolicy, type Policy, SIGNING_POLICY } from '../trust/policy.ts'
import type { TypeName } from '../types/registry.ts'
import type { PrivateKey } from './private-key.ts'
import { draftSignature } from './signature-packet.ts'

export interface SigningOptions {
  /** The creation time in the signature, in whole seconds. It is not the `timestamp` header. */
  readonly signedAt: Date
  /** The required size of the key; at least 4096 bits by default. */
  readonly policy?: Pick<Policy, 'minimumKeyBits' | 'maximumKeyBits'>
}

/**
 * Signs an assertion with canonical headers, SHA-512 and RSA. The result has passed the same checks as a decoded one.
 * Only `verifyTrust` checks whether the key may sign it, so call that before you hand the assertion out.
 *
 * Throws {@link AssertionError} `weak-key`, `unsupported-format`, `limit-exceeded`, or a code of text, headers or
 * keys (see `AssertionErrorCode`); `TypeError` for an impossible `signedAt` or for headers that are not text, a list or
 * a map. contract/devices.md 3.3 and 3.5.
 */
export function sign<Type extends TypeName>(
  input: SigningInput<Type>,
  key: PrivateKey,
  options: SigningOptions,
): UnverifiedAssertion<Type> {
  const { unsigned, message, finish } = prepare(input, key, options)
  return { ...unsigned, signature: finish(rsaSign('sha512', message, key.keyObject)) }
}

/** Like {@link sign}, with the RSA computation (some milliseconds) on Node's thread pool. */
export async function signAsync<Type extends TypeName>(
  input: SigningInput<Type>,
  key: PrivateKey,
  options: SigningOptions,
): Promise<UnverifiedAssertion<Type>> {
  const { unsigned, message, finish } = prepare(input, key, options)
  return { ...unsigned, signature: finish(await rsaSignAsync('sha512', message, key.keyObject)) }
}

const rsaSignAsync = promisify(rsaSign)

function prepare<Type extends TypeName>(input: SigningInput<Type>, key: PrivateKey, options: SigningOptions) {
  const { signedAt, policy = SIGNING_POLICY } = options
  checkKeyPolicy(key.publicKey, policy)
  const content = writeContent(input, key.publicKey.id)
  // Decoding it before signing applies the same rules to our own assertions as to those we read.
  const unsigned = decodeParts(content, content.indexOf(SEPARATOR), Buffer.from('unsigned\n'), DEFAULT_LIMITS)
  // `writeContent` wrote the given type.
  return { unsigned: unsigned as UnverifiedAssertion<Type>, ...draftSignature(content, signedAt) }
}
