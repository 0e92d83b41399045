// The signature of an assertion is base64 of version byte 1 and one OpenPGP v4 signature packet (contract/devices.md
// 3.5).

import { createHash } from 'node:crypto'
import { decodeBase64, encodeBase64 } from '../base64.ts'
import { AssertionError } from '../errors.ts'
import { newLength, Reader, readPacket, writeMpi, writePacket } from './openpgp.ts'

/** The hashes that such a signature can have, by OpenPGP's number. */
const HASHES = {
  1: 'md5',
  2: 'sha1',
  8: 'sha256',
  9: 'sha384',
  10: 'sha512',
  11: 'sha224',
} as const

export type HashName = (typeof HASHES)[keyof typeof HASHES]

/** A decoded signature, not verified yet. */
export interface UnverifiedSignature {
  readonly hash: HashName
  /** The time on the signer's clock. No check uses it. */
  readonly createdAt: Date
  /** OpenPGP's number of the algorithm. Only 1 (RSA) verifies. */
  readonly algorithm: number
  /** The bytes hashed after the content: the packet from its version to its hashed subpackets, and a trailer. */
  readonly hashedSuffix: Uint8Array
  /** The first two bytes of the digest. */
  readonly hashTag: Uint8Array
  /** The RSA value, without padding to the size of the modulus. */
  readonly value: Uint8Array
}

const WHAT = 'the signature'
const FAULTS = {
  malformed: 'malformed-signature',
  unsupported: 'unsupported-signature',
  what: WHAT,
  tag: 2,
} as const
const SIGN_RSA = 1
/** RSA, and its variants encrypt only and sign only, which are read like RSA and then fail to verify. */
const READABLE = [1, 2, 3]
const CREATION_TIME = 2
const ISSUER = 16
/** Further subpackets that the Go code knows, so they may be critical. */
const KNOWN = [3, 9, 11, ISSUER, 21, 22, 25, 27, 29]
const VERSION = 4
const SHA512 = 10

/** Reads the text of a signature. Throws {@link AssertionError} `malformed-signature` or `unsupported-signature`. */
export function decodeSignature(text: Uint8Array): UnverifiedSignature {
  // Latin-1 keeps every byte, so that `decodeBase64` refuses those that are not base64.
  const data = decodeBase64(Buffer.from(text).toString('latin1'), WHAT, 'malformed-signature')
  const packet = readPacket(data, FAULTS)
  const fields = new Reader(packet, () => malformed('is cut off'))
  const version = fields.number(1)
  if (version !== VERSION) throw unsupported(`has OpenPGP version ${version}, not ${VERSION}`)
  // snapd accepts any type of signature, so text signatures (0x01) pass.
  fields.bytes(1)
  const algorithm = fields.number(1)
  if (!READABLE.includes(algorithm)) throw unsupported(`has OpenPGP algorithm ${algorithm}, not RSA`)
  const hash = hashName(fields.number(1))
  const subpackets = fields.bytes(fields.number(2))
  const createdAt = readSubpackets(subpackets, true)
  if (createdAt === undefined) throw malformed('has no creation time that is signed')
  const hashed = packet.subarray(0, packet.length - fields.left)
  readSubpackets(fields.bytes(fields.number(2)), false)
  const hashTag = fields.bytes(2)
  const value = fields.mpi()
  if (fields.left > 0) {
    throw malformed('has bytes after its end')
  }
  return { hash, createdAt, algorithm, hashedSuffix: withTrailer(hashed), hashTag, value }
}

/** The message of a new signature, and a function that turns its RSA value into the signature's text. */
export interface SignatureDraft {
  /** The exact bytes to sign with RSASSA-PKCS1-v1_5 and SHA-512. */
  readonly message: Uint8Array
  /** Returns the text, with a newline at its end. */
  finish(value: Uint8Array): Uint8Array
}

/** Prepares a signature as snapd's signer writes it: SHA-512, and the creation time as the only subpacket. */
export function draftSignature(content: Uint8Array, createdAt: Date): SignatureDraft {
  const seconds = Math.floor(createdAt.getTime() / 1000)
  if (!(seconds >= 0 && seconds < 2 ** 32)) throw new TypeError('a signature needs a time from 1970 to 2106')
  const hashed = Buffer.of(VERSION, 0, SIGN_RSA, SHA512, 0, 6, 5, CREATION_TIME, 0, 0, 0, 0)
  hashed.writeUInt32BE(seconds, 8)
  const message = Buffer.concat([content, withTrailer(hashed)])
  const finish = (value: Uint8Array): Uint8Array => {
    const hashTag = createHash('sha512').update(message).digest().subarray(0, 2)
    const fields = [hashed, Buffer.of(0, 0), hashTag, ...writeMpi(value, value.length * 8)]
    const data = writePacket(FAULTS.tag, fields)
    return Buffer.from(`${encodeBase64(data)}\n`, 'latin1')
  }
  return { message, finish }
}

function hashName(number: number): HashName {
  if (!Object.hasOwn(HASHES, number)) throw unsupported(`has an unknown hash, OpenPGP number ${number}`)
  return HASHES[number as keyof typeof HASHES]
}

/** Returns the creation time, which only counts in the hashed area, where it is signed. */
function readSubpackets(area: Buffer, hashed: boolean): Date | undefined {
  const fields = new Reader(area, () => malformed('has a subpacket that is cut off'))
  let createdAt: Date | undefined
  while (fields.left > 0) {
    const contents = fields.bytes(newLength(fields, true) ?? 0)
    const subpacket = new Reader(contents, () => malformed('has an empty subpacket'))
    const first = subpacket.number(1)
    createdAt = readSubpacket(first & 0x7f, first >= 0x80, hashed, subpacket) ?? createdAt
  }
  return createdAt
}

function readSubpacket(type: number, critical: boolean, hashed: boolean, contents: Reader): Date | undefined {
  if (type === CREATION_TIME) {
    if (!hashed) throw malformed('has a creation time that is not signed')
    if (contents.left !== 4) throw malformed('has a creation time that is not 4 bytes long')
    return new Date(contents.number(4) * 1000)
  }
  if (type === ISSUER && contents.left !== 8) {
    throw malformed('has an issuer that is not 8 bytes long')
  }
  if (critical && !KNOWN.includes(type)) {
    throw unsupported(`has an unknown critical subpacket of type ${type}`)
  }
  return undefined
}

function withTrailer(hashed: Uint8Array): Buffer {
  const trailer = Buffer.of(VERSION, 0xff, 0, 0, 0, 0)
  trailer.writeUInt32BE(hashed.length, 2)
  return Buffer.concat([hashed, trailer])
}

function malformed(fault: string): AssertionError {
  return new AssertionError(FAULTS.malformed, `${WHAT} ${fault}`)
}

function unsupported(fault: string): AssertionError {
  return new AssertionError(FAULTS.unsupported, `${WHAT} ${fault}`)
}
