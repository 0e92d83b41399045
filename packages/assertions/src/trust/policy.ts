// Which keys and signatures are good enough to be trusted (contract/devices.md, decision 15).

import { AssertionError } from '../errors.ts'
import type { PublicKey } from '../keys/public-key.ts'
import type { HashName, UnverifiedSignature } from '../keys/signature-packet.ts'

export interface Policy {
  /** Hashes a signature may have. */
  readonly hashes: readonly HashName[]
  readonly minimumKeyBits: number
  /** An upper bound, so that a stranger cannot make us compute with absurd keys. OpenSSL stops at 16,384 by itself. */
  readonly maximumKeyBits: number
}

/** Who signs: SHA-256, 384 or 512 and keys of 2048 bits and up. No SHA-1, no MD5. */
export const DEFAULT_POLICY: Policy = Object.freeze<Policy>({
  hashes: ['sha256', 'sha384', 'sha512'],
  minimumKeyBits: 2048,
  maximumKeyBits: 16_384,
})

/** Everything snapd takes: any hash, keys of any size. For tools that look at old assertions, not for trust. */
export const SNAPD_POLICY: Policy = Object.freeze<Policy>({
  hashes: ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'],
  minimumKeyBits: 0,
  maximumKeyBits: 16_384,
})

/** How strong our own signing keys must be: 4096 bits, as snapd demands of external keys. */
export const SIGNING_POLICY: Pick<Policy, 'minimumKeyBits' | 'maximumKeyBits'> = Object.freeze({
  minimumKeyBits: 4096,
  maximumKeyBits: 16_384,
})

/** Throws {@link AssertionError} `weak-key` when the key's size is outside of the policy. */
export function checkKeyPolicy(
  key: PublicKey,
  { minimumKeyBits, maximumKeyBits }: Pick<Policy, 'minimumKeyBits' | 'maximumKeyBits'> = DEFAULT_POLICY,
): void {
  if (key.bits >= minimumKeyBits && key.bits <= maximumKeyBits) return
  const accepted = `${minimumKeyBits} to ${maximumKeyBits} are accepted`
  throw new AssertionError('weak-key', `key ${key.id} has ${key.bits} bits, and ${accepted}`)
}

/** Throws {@link AssertionError} `weak-hash` when the signature's hash is not in the policy. */
export function checkHashPolicy(
  signature: Pick<UnverifiedSignature, 'hash'>,
  { hashes }: Pick<Policy, 'hashes'> = DEFAULT_POLICY,
): void {
  if (hashes.includes(signature.hash)) return
  const advice = `use one of ${hashes.join(', ')}`
  throw new AssertionError('weak-hash', `the signature's hash ${signature.hash} is not accepted; ${advice}`)
}
