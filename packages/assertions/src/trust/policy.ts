// Decides which keys and signatures are strong enough to be trusted (contract/devices.md, decision 15).

import { AssertionError } from '../errors.ts'
import type { PublicKey } from '../keys/public-key.ts'
import type { HashName, UnverifiedSignature } from '../keys/signature-packet.ts'

export interface Policy {
  /** The hashes that a signature may have. */
  readonly hashes: readonly HashName[]
  readonly minimumKeyBits: number
  /** The upper limit, so that strangers can't make us compute with huge keys. OpenSSL itself stops at 16,384. */
  readonly maximumKeyBits: number
}

/** The policy for verifying: SHA-256, 384 or 512 and at least 2048 bits, but not SHA-1, SHA-224 or MD5. */
export const DEFAULT_POLICY: Policy = Object.freeze<Policy>({
  hashes: ['sha256', 'sha384', 'sha512'],
  minimumKeyBits: 2048,
  maximumKeyBits: 16_384,
})

/** Accepts everything that snapd accepts: any hash and key size. For tools that read old assertions, not for trust. */
export const SNAPD_POLICY: Policy = Object.freeze<Policy>({
  hashes: ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'],
  minimumKeyBits: 0,
  maximumKeyBits: 16_384,
})

/** The policy for our own signing keys: at least 4096 bits, which snapd requires of external keys. */
export const SIGNING_POLICY: Pick<Policy, 'minimumKeyBits' | 'maximumKeyBits'> = Object.freeze({
  minimumKeyBits: 4096,
  maximumKeyBits: 16_384,
})

/** Throws {@link AssertionError} `weak-key` if the key's size is outside the policy. */
export function checkKeyPolicy(
  key: PublicKey,
  { minimumKeyBits, maximumKeyBits }: Pick<Policy, 'minimumKeyBits' | 'maximumKeyBits'> = DEFAULT_POLICY,
): void {
  if (key.bits >= minimumKeyBits && key.bits <= maximumKeyBits) return
  const accepted = `the policy accepts ${minimumKeyBits} to ${maximumKeyBits}`
  throw new AssertionError('weak-key', `key ${key.id} has ${key.bits} bits, and ${accepted}`)
}

/** Throws {@link AssertionError} `weak-hash` if the policy does not accept the signature's hash. */
export function checkHashPolicy(
  signature: Pick<UnverifiedSignature, 'hash'>,
  { hashes }: Pick<Policy, 'hashes'> = DEFAULT_POLICY,
): void {
  if (hashes.includes(signature.hash)) return
  const advice = `use one of ${hashes.join(', ')}`
  throw new AssertionError('weak-hash', `the signature's hash ${signature.hash} is not accepted; ${advice}`)
}
