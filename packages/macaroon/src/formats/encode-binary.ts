import type { Macaroon } from '../macaroon.ts'
import { writeVersion1 } from './binary-v1.ts'
import { writeVersion2 } from './binary-v2.ts'

/**
 * Writes one macaroon, or a slice of several in sequence, each in the binary format of its version.
 * Throws {@link MacaroonError} `limit-exceeded` if a field is too long for version 1 (64 KiB).
 */
export function encodeBinary(...macaroons: readonly Macaroon[]): Uint8Array {
  return Buffer.concat(macaroons.map((m) => (m.version === 1 ? writeVersion1(m) : writeVersion2(m))))
}
