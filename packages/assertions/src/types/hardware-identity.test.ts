import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { RECORDED, testKey } from '../../test/vectors.ts'
import { sign } from '../index.ts'

const identity = (encoded: string) =>
  sign(
    {
      type: 'hardware-identity',
      headers: {
        'authority-id': 'acme-brand',
        'issuer-id': 'acme-brand',
        manufacturer: 'Acme',
        'hardware-name': 'board',
        'hardware-id': 'HW-1',
        'hardware-id-key': encoded,
        'hardware-id-key-sha3-384': createHash('sha3-384').update(encoded).digest('base64url'),
      },
    },
    testKey('brand'),
    { signedAt: RECORDED },
  )

test('accepts RSA and elliptic curve keys', () => {
  for (const { publicKey } of [
    generateKeyPairSync('rsa', { modulusLength: 1024 }),
    generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ]) {
    const { fields } = identity(publicKey.export({ type: 'spki', format: 'der' }).toString('base64'))
    assert.ok(fields.hardwareKey.equals(publicKey))
  }
})

const ed25519 = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' })
for (const [what, encoded, code] of [
  ['text', 'key!', 'malformed-key'],
  ['bytes', 'AAAA', 'malformed-key'],
  ['Ed25519', ed25519.toString('base64'), 'unsupported-key'],
] as const) {
  test(`refuses ${what} as a hardware key`, () => {
    assert.throws(() => identity(encoded), { code, message: /header "hardware-id-key"/ })
  })
}
