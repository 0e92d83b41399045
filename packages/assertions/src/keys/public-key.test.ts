import assert from 'node:assert/strict'
import { createHmac, createSecretKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { mpi } from '../../test/packets.ts'
import { decodePublicKey, encodePublicKey, keyObjectOf, publicKeyFromKeyObject } from './public-key.ts'

const N = Buffer.alloc(128, 0xc3)
const E = Buffer.of(1, 0, 1)
const head = (version: number, algorithm: number) => Buffer.of(version, 1, 2, 3, 4, algorithm)
const packet = (contents: Uint8Array) => Buffer.concat([Buffer.of(0xc6, contents.length), contents])
const text = (...parts: readonly Uint8Array[]) => Buffer.concat([Buffer.of(1), ...parts]).toString('base64')
const key = (n: Uint8Array, e: Uint8Array, algorithm = 1, version = 4) =>
  text(packet(Buffer.concat([head(version, algorithm), mpi(n), mpi(e)])))

test('a key has the same id for every encoding of its packet', () => {
  const { id, bits, exponent } = decodePublicKey(key(N, E))
  assert.equal(bits, 1024)
  assert.equal(exponent, 65_537)
  for (const other of [
    key(N, E, 2),
    key(N, E, 3),
    key(Buffer.concat([Buffer.of(0, 0), N]), E),
    text(Buffer.of(0x98, 6 + 130 + 5), head(4, 1), mpi(N), mpi(E)),
    text(Buffer.of(0xc6, 0xff, 0, 0, 0, 6 + 130 + 5), head(4, 1), mpi(N), mpi(E)),
    text(packet(Buffer.concat([head(4, 1), mpi(N, 1017), mpi(E, 17)]))),
  ]) {
    assert.equal(decodePublicKey(other).id, id)
  }
  assert.notEqual(decodePublicKey(key(N, Buffer.of(3))).id, id)
})

test('writes and reads keys of all sizes, with packet lengths of one and two bytes', () => {
  for (const length of [1, 8, 94, 120, 121, 122, 176, 177, 178, 179, 180, 256, 1024, 2048]) {
    const modulus = Buffer.alloc(length, 0x81)
    const long = Buffer.concat([head(4, 1), mpi(modulus), mpi(Buffer.of(3))])
    const length4 = Buffer.alloc(4)
    length4.writeUInt32BE(long.length)
    const read = decodePublicKey(text(Buffer.of(0xc6, 0xff), length4, long))
    assert.deepEqual(decodePublicKey(encodePublicKey(read)), read)
  }
})

for (const [what, encoded, code] of [
  ['nothing', '', 'malformed-key'],
  ['a version byte alone', 'AQ==', 'malformed-key'],
  ['key version 3', key(N, E, 1, 3), 'unsupported-key'],
  ['an elliptic curve', key(N, E, 19), 'unsupported-key'],
  ['an exponent of four bytes', key(N, Buffer.of(0, 1, 0, 1)), 'malformed-key'],
  ['no exponent', key(N, Buffer.alloc(0)), 'malformed-key'],
  ['an exponent of 1', key(N, Buffer.of(1)), 'malformed-key'],
  ['an even exponent', key(N, Buffer.of(4)), 'malformed-key'],
  ['an even modulus', key(Buffer.of(4), E), 'malformed-key'],
  ['a modulus of zero', key(Buffer.of(0), E), 'malformed-key'],
  [
    'an integer that is cut off',
    text(packet(Buffer.concat([head(4, 1), mpi(N), Buffer.of(0, 17, 1, 0)]))),
    'malformed-key',
  ],
  ['a signature', text(Buffer.of(0xc2, 1, 0)), 'malformed-key'],
] as const) {
  test(`refuses ${what} as a public key`, () => {
    assert.throws(() => decodePublicKey(encoded), { code, message: /^the public key / })
  })
}

test('refuses bytes after the key, inside its packet and after it', () => {
  const contents = Buffer.concat([head(4, 1), mpi(N), mpi(E)])
  for (const encoded of [
    text(packet(Buffer.concat([contents, Buffer.of(0)]))),
    text(packet(contents), Buffer.of(0)),
  ]) {
    const message = 'the public key has bytes after its end'
    assert.throws(() => decodePublicKey(encoded), { code: 'malformed-key', message })
  }
})

test('accepts RSA keys of node:crypto only, and reads the public half of private ones', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const read = publicKeyFromKeyObject(publicKey)
  assert.deepEqual(publicKeyFromKeyObject(privateKey), read)
  assert.ok(keyObjectOf(read).equals(publicKey))
  assert.equal(keyObjectOf(read), keyObjectOf(read))
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  assert.throws(() => publicKeyFromKeyObject(ec.publicKey), {
    code: 'unsupported-key',
    message: 'the public key is not an RSA key but ec',
  })
  const secret = createSecretKey(createHmac('sha256', 'x').digest())
  assert.throws(() => publicKeyFromKeyObject(secret), { code: 'unsupported-key' })
})
