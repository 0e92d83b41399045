import { MacaroonError } from '../errors.ts'
import { checkLimit, DEFAULT_LIMITS, type Limits } from '../limits.ts'
import type { Macaroon, UnverifiedSlice } from '../macaroon.ts'
import { checkMacaroonLimits } from '../slice-limits.ts'
import { readVersion1, writeVersion1 } from './binary-v1.ts'
import { readVersion2, writeVersion2 } from './binary-v2.ts'

/**
 * Reads one macaroon, or a slice of several in sequence, in the binary formats: version 2 (first byte 2) and version 1
 * (packets with four hex digits). A slice can mix them. No bytes may follow the last macaroon.
 * Throws {@link MacaroonError} `malformed`, `unsupported-version` or `limit-exceeded`.
 */
export function decodeBinary(bytes: Uint8Array, limits: Limits = DEFAULT_LIMITS): UnverifiedSlice {
  checkLimit('Macaroons with too many bytes', bytes.length, limits.sliceBytes)
  const source = Buffer.from(bytes)
  const macaroons: Macaroon[] = []
  let position = 0
  do {
    checkLimit('Too many macaroons', macaroons.length + 1, limits.macaroons)
    const [macaroon, end] = readOne(source, position, limits)
    checkMacaroonLimits(macaroon, limits)
    macaroons.push(macaroon)
    position = end
  } while (position < source.length)
  return macaroons as unknown as UnverifiedSlice // The loop runs at least once.
}

function readOne(source: Buffer, position: number, limits: Limits): [Macaroon, end: number] {
  const first = source[position]
  if (first === undefined) throw new MacaroonError('malformed', 'Not a macaroon: it is empty')
  if (first === 2) return readVersion2(source, position, limits)
  if (isLowerHex(first)) return readVersion1(source, position, limits)
  throw new MacaroonError(
    'unsupported-version',
    `No known macaroon format begins with byte 0x${first.toString(16).padStart(2, '0')} (at ${position})`,
  )
}

function isLowerHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66)
}

/**
 * Writes one macaroon, or a slice of several in sequence, each in the binary format of its version.
 * Throws {@link MacaroonError} `limit-exceeded` if a field is too long for version 1 (64 KiB).
 */
export function encodeBinary(...macaroons: readonly Macaroon[]): Uint8Array {
  return Buffer.concat(macaroons.map((m) => (m.version === 1 ? writeVersion1(m) : writeVersion2(m))))
}
