// Builds keys and signatures by hand, so that tests can break one field at a time.

import { createHash, sign } from 'node:crypto'
import type { UnverifiedAssertion } from '../src/index.ts'
import { decoded, testKey } from './vectors.ts'

export const mpi = (bytes: Uint8Array, bits = bytes.length * 8): Buffer =>
  Buffer.concat([Buffer.of(bits >> 8, bits & 0xff), bytes])
export const longPacket = (tag: number, contents: Uint8Array): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(contents.length)
  return Buffer.concat([Buffer.of(0xc0 | tag, 0xff), length, contents])
}

export interface SignatureFields {
  readonly version: number
  readonly type: number
  readonly algorithm: number
  readonly hash: number
  readonly hashed: Uint8Array
  readonly unhashed: Uint8Array
  readonly leftover: Uint8Array
  readonly wrap: (contents: Buffer) => Buffer
}

const HASHES: Readonly<Record<number, string>> = {
  1: 'md5',
  2: 'sha1',
  8: 'sha256',
  9: 'sha384',
  10: 'sha512',
  11: 'sha224',
}
export const CREATED: Uint8Array = Buffer.of(5, 2, 0x6b, 0, 0xac, 0x91)
const uint16 = (n: number): Buffer => Buffer.of(n >> 8, n & 0xff)

/** Signs the serial-request of the vectors again, with these fields in its signature. */
export function requestSignedAs(fields: Partial<SignatureFields>): UnverifiedAssertion<'serial-request'> {
  const {
    version = 4,
    type = 0,
    algorithm = 1,
    hash = 10,
    hashed = CREATED,
    unhashed = Buffer.alloc(0),
  } = fields
  const { leftover = Buffer.alloc(0), wrap = (contents) => longPacket(2, contents) } = fields
  const request = decoded('valid/serial-request') as UnverifiedAssertion<'serial-request'>
  const head = Buffer.concat([Buffer.of(version, type, algorithm, hash), uint16(hashed.length), hashed])
  const trailer = Buffer.of(4, 0xff, 0, 0, 0, head.length)
  const message = Buffer.concat([request.content, head, trailer])
  const name = HASHES[hash] ?? 'sha512'
  const digest = createHash(name).update(message).digest()
  const value = sign(name, message, testKey('device').keyObject)
  const contents = Buffer.concat([
    head,
    uint16(unhashed.length),
    unhashed,
    digest.subarray(0, 2),
    mpi(value),
    leftover,
  ])
  return {
    ...request,
    signature: Buffer.from(Buffer.concat([Buffer.of(1), wrap(contents)]).toString('base64')),
  }
}
