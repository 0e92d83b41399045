// The parts of OpenPGP (RFC 4880) that the keys and signatures of assertions consist of.

import { AssertionError, type AssertionErrorCode } from '../errors.ts'

/** Reads big-endian fields one after another, and throws an {@link AssertionError} if the bytes run out. */
export class Reader {
  readonly #data: Buffer
  readonly #truncated: () => AssertionError
  #at = 0

  constructor(data: Buffer, truncated: () => AssertionError) {
    this.#data = data
    this.#truncated = truncated
  }

  get left(): number {
    return this.#data.length - this.#at
  }

  bytes(length: number): Buffer {
    const start = this.#at
    this.#skip(length)
    return this.#data.subarray(start, this.#at)
  }

  /** Reads a number of 1 to 4 bytes. */
  number(bytes: number): number {
    const start = this.#at
    this.#skip(bytes)
    return this.#data.readUIntBE(start, bytes)
  }

  /** Reads a multi-precision integer, with as many bytes as its number of bits requires. */
  mpi(): Buffer {
    return this.bytes(Math.ceil(this.number(2) / 8))
  }

  #skip(bytes: number): void {
    if (bytes > this.left) throw this.#truncated()
    this.#at += bytes
  }
}

export interface PacketFaults {
  readonly malformed: AssertionErrorCode
  readonly unsupported: AssertionErrorCode
  /** The beginning of messages: `the public key` or `the signature`. */
  readonly what: string
  readonly tag: number
}

/**
 * Reads version byte 1 and exactly one packet with this tag, whose header has the old or the new format, and returns
 * its contents. Refuses partial and indeterminate lengths.
 */
export function readPacket(data: Buffer, faults: PacketFaults): Buffer {
  const { malformed, unsupported, what, tag } = faults
  const fault = (message: string, code = malformed) => new AssertionError(code, `${what} ${message}`)
  const outer = new Reader(data, () => fault('is cut off'))
  const version = outer.number(1)
  if (version !== 1) throw fault(`has version ${version}, not 1`, unsupported)
  const header = outer.number(1)
  if ((header & 0x80) === 0) throw fault('is not an OpenPGP packet')
  const found = (header & 0x40) === 0 ? (header >> 2) & 0x0f : header & 0x3f
  if (found !== tag) throw fault(`is an OpenPGP packet of type ${found}, not ${tag}`)
  const length = (header & 0x40) === 0 ? oldLength(outer, header & 3) : newLength(outer)
  if (length === undefined) throw fault('is an OpenPGP packet without a definite length')
  const contents = outer.bytes(length)
  if (outer.left > 0) throw fault('has bytes after its end')
  return contents
}

/** Writes version byte 1 and one packet with these parts as contents, and the shortest header of the new format. */
export function writePacket(tag: number, contents: readonly Uint8Array[]): Buffer {
  const length = contents.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([Buffer.of(1, 0xc0 | tag), lengthBytes(length), ...contents])
}

/** Reads the length of a packet or a signature subpacket, which has 1, 2 or 5 bytes. */
export function newLength(from: Reader, subpacket = false): number | undefined {
  const first = from.number(1)
  if (first < 192) return first
  if (first === 255) return from.number(4)
  if (first >= 224 && !subpacket) return undefined
  return ((first - 192) << 8) + from.number(1) + 192
}

function oldLength(from: Reader, kind: number): number | undefined {
  return kind === 3 ? undefined : from.number(1 << kind)
}

function lengthBytes(length: number): Buffer {
  if (length < 192) return Buffer.of(length)
  if (length < 8384) return Buffer.of(192 + ((length - 192) >> 8), (length - 192) & 0xff)
  const bytes = Buffer.of(255, 0, 0, 0, 0)
  bytes.writeUInt32BE(length, 1)
  return bytes
}

/** Removes leading zero bytes. */
export function trimmed(integer: Buffer): Buffer {
  const first = integer.findIndex((byte) => byte !== 0)
  return first === -1 ? Buffer.alloc(0) : integer.subarray(first)
}

/** Returns the number of bits of an integer without leading zero bytes. */
export function bitLength(integer: Uint8Array): number {
  const [first] = integer
  return first === undefined ? 0 : (integer.length - 1) * 8 + (32 - Math.clz32(first))
}

/** Writes a multi-precision integer in two parts. For signatures, Go's `bits` counts all bits of all bytes. */
export function writeMpi(
  integer: Uint8Array,
  bits = bitLength(integer),
): readonly [length: Uint8Array, integer: Uint8Array] {
  return [Buffer.of(bits >> 8, bits & 0xff), integer]
}
