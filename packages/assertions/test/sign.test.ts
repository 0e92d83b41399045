import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import {
  decodePublicKey,
  decodeSignature,
  decodeStream,
  encodePublicKey,
  encodeStream,
  expectType,
  privateKeyFromKeyObject,
  type SigningInput,
  sign,
  signAsync,
  verifySelfSigned,
  verifySignature,
} from '../src/index.ts'
import { decoded, RECORDED, testKey } from './vectors.ts'

const device = testKey('device')
const request: SigningInput<'device-session-request'> = {
  type: 'device-session-request',
  headers: { 'brand-id': 'acme', model: 'm', serial: 'S', nonce: 'N', timestamp: '2020-01-01T00:00:00Z' },
}
const changed = (headers: Record<string, unknown>): SigningInput<'device-session-request'> => ({
  type: 'device-session-request',
  headers: { ...request.headers, ...headers } as SigningInput['headers'],
})

test('a signature contains its time, and the header names its key', () => {
  const signed = sign(request, device, { signedAt: new Date('2026-01-01T00:00:00.999Z') })
  assert.equal(signed.signKeyId, device.publicKey.id)
  assert.deepEqual(decodeSignature(signed.signature).createdAt, new Date('2026-01-01T00:00:00Z'))
  assert.ok(Buffer.from(signed.signature).toString().startsWith('AcLBUgQAAQoABgUC'))
  verifySignature(signed, decodePublicKey(encodePublicKey(device.publicKey)))
})

test('accepts headers as nested maps, and overwrites those that follow from the rest', () => {
  const headers = new Map<string, SigningInput['headers'] | string | null>([
    ...Object.entries(request.headers as Record<string, string>),
    ['type', 'serial'],
    ['body-length', '99'],
    ['sign-key-sha3-384', 'x'],
    ['format', '0'],
    ['revision', '0'],
    ['x-map', new Map([['b', '1']])],
    ['x-null', null],
  ])
  const { content, type } = sign({ type: request.type, headers, body: 'é' }, device, { signedAt: RECORDED })
  assert.equal(type, 'device-session-request')
  assert.equal(
    Buffer.from(content).toString(),
    `type: device-session-request\nbrand-id: acme\nmodel: m\nserial: S\nnonce: N\ntimestamp: 2020-01-01T00:00:00Z\nx-map:\n  b: 1\nbody-length: 2\nsign-key-sha3-384: ${device.publicKey.id}\n\né`,
  )
})

test('writes further headers and the entries of maps in byte order', () => {
  const input = changed({ z: { b: '1', a: { d: '2', c: '3' } }, 'x-1': 'b', x: 'a', x1: 'c' })
  const { content } = sign(input, device, { signedAt: RECORDED })
  const rest = 'x: a\nx-1: b\nx1: c\nz:\n  a:\n    c: 3\n    d: 2\n  b: 1\nsign-key-sha3-384'
  assert.ok(Buffer.from(content).toString().includes(`timestamp: 2020-01-01T00:00:00Z\n${rest}`))
})

// Guarantee: we sign nothing that a decoder would refuse.
for (const [what, headers, code] of [
  ['a missing header', { nonce: null }, 'missing-header'],
  ['a missing primary key', { serial: undefined }, 'missing-header'],
  ['a slash in the primary key', { serial: 'a/b' }, 'malformed-header'],
  ['an invalid name', { X: 'y' }, 'malformed-line'],
  ['a header inside a name', { 'x: y\nz': 'y' }, 'malformed-line'],
  ['a header inside a name in a map', { x: { 'x: y\n  z': 'y' } }, 'malformed-line'],
  ['an authority', { 'authority-id': 'acme' }, 'unexpected-header'],
  ['a negative revision', { revision: '-1' }, 'malformed-header'],
  ['a newer format', { format: '1' }, 'unsupported-format'],
  ['headers of more than 128 KiB', { x: 'y'.repeat(131_072) }, 'limit-exceeded'],
] as const) {
  test(`does not sign ${what}`, () => {
    assert.throws(() => sign(changed(headers), device, { signedAt: RECORDED }), { code })
  })
}

test('signs constraints in format 1, and refuses a lower format', () => {
  const key = decoded('valid/account-key-acme-brand')
  const constraints = [{ headers: { type: 'serial' } }]
  const headers = { ...Object.fromEntries(key.headers), constraints } as unknown as SigningInput['headers']
  const input = { type: 'account-key', headers, body: key.body } as const
  assert.equal(sign(input, testKey('root'), { signedAt: RECORDED }).format, 1)
  const old = { ...input, headers: { ...headers, format: '0' } as SigningInput['headers'] }
  assert.throws(() => sign(old, testKey('root'), { signedAt: RECORDED }), {
    code: 'unsupported-format',
    message: 'a new account-key cannot have format 0: its headers need 1',
  })
})

test('throws a TypeError for values that a compiler would refuse', () => {
  for (const headers of [{ x: 1 }, { x: true }, { x: '\ud800' }, { x: ['\udfff'] }, { x: () => 'y' }]) {
    assert.throws(() => sign(changed(headers), device, { signedAt: RECORDED }), TypeError)
  }
  assert.throws(() => sign({ ...request, body: '\ud800' }, device, { signedAt: RECORDED }), TypeError)
  for (const signedAt of [new Date(Number.NaN), new Date(-1000), new Date('2200-01-01')]) {
    assert.throws(() => sign(request, device, { signedAt }), TypeError)
  }
})

test('signs with a small key only if the policy allows it', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = privateKeyFromKeyObject(privateKey)
  const message = `key ${key.publicKey.id} has 2048 bits, and the policy accepts 4096 to 16384`
  const weak = { code: 'weak-key', message }
  assert.throws(() => sign(request, key, { signedAt: RECORDED }), weak)
  await assert.rejects(signAsync(request, key, { signedAt: RECORDED }), weak)
  const policy = { minimumKeyBits: 2048, maximumKeyBits: 4096 }
  verifySignature(sign(request, key, { signedAt: RECORDED, policy }), key.publicKey)
})

test('verifies an account-key-request with the key in its body', () => {
  const asked = expectType(decoded('valid/account-key-request'), 'account-key-request')
  assert.equal(verifySelfSigned(asked).id, testKey('brand').publicKey.id)
  const headers = { ...Object.fromEntries(asked.headers) } as SigningInput['headers']
  const stolen = sign({ type: 'account-key-request', headers, body: asked.body }, device, {
    signedAt: RECORDED,
  })
  assert.throws(() => verifySelfSigned(stolen), { code: 'wrong-key' })
})

test('expectType accepts one type', () => {
  const serial = decoded('valid/serial')
  assert.equal(expectType(serial, 'serial').fields.serial, 'SN-0001')
  assert.throws(() => expectType(serial, 'model'), {
    code: 'unexpected-type',
    message: 'expected a model assertion, not serial',
  })
})

test('a stream gets a final newline for each assertion without one', () => {
  const signed = sign(request, device, { signedAt: RECORDED })
  const bare = { ...signed, signature: signed.signature.subarray(0, -1) }
  const stream = encodeStream([bare, signed, bare])
  assert.deepEqual(decodeStream(stream), [signed, signed, signed])
  assert.equal(encodeStream([]).length, 0)
})
