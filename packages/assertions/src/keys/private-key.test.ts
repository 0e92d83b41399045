import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { testKey, vectorText } from '../../test/vectors.ts'
import { privateKeyFromKeyObject, privateKeyFromPem } from './private-key.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
const own = privateKeyFromKeyObject(privateKey)
const pem = (type: 'pkcs8' | 'pkcs1', passphrase?: string) =>
  privateKey.export({
    type,
    format: 'pem',
    ...(passphrase && { cipher: 'aes-256-cbc', passphrase }),
  }) as string

test('reads PKCS#8, encrypted PKCS#8 and PKCS#1, as text or bytes', () => {
  for (const read of [
    privateKeyFromPem(pem('pkcs8')),
    privateKeyFromPem(Buffer.from(pem('pkcs8'))),
    privateKeyFromPem(pem('pkcs1')),
    privateKeyFromPem(pem('pkcs8', 'secret'), 'secret'),
  ]) {
    assert.deepEqual(read.publicKey, own.publicKey)
  }
})

const unreadable = 'not a readable PEM private key'
for (const [what, text, passphrase, message, code = 'malformed-key'] of [
  ['nothing', '', undefined, `${unreadable}; is it encrypted?`],
  [
    'an armored PGP key',
    '-----BEGIN PGP PRIVATE KEY BLOCK-----',
    undefined,
    `${unreadable}; is it encrypted?`,
  ],
  [
    'a public key',
    publicKey.export({ type: 'spki', format: 'pem' }) as string,
    undefined,
    `${unreadable}; is it encrypted?`,
  ],
  [
    'an encrypted key without its passphrase',
    pem('pkcs8', 'secret'),
    undefined,
    `${unreadable}; is it encrypted?`,
  ],
  [
    'an encrypted key with a different passphrase',
    pem('pkcs8', 'secret'),
    'other',
    `${unreadable}; is the passphrase right?`,
  ],
  [
    'an elliptic curve',
    vectorText('world/keys/hwid-p256.pem'),
    undefined,
    'the public key is not an RSA key but ec',
    'unsupported-key',
  ],
] as const) {
  test(`refuses ${what} as a signing key`, () => {
    assert.throws(() => privateKeyFromPem(text, passphrase), { code, message })
  })
}

test('refuses the public half of a key', () => {
  assert.throws(() => privateKeyFromKeyObject(publicKey), {
    code: 'malformed-key',
    message: 'not a private key: assertions are signed with the private half',
  })
})

test('a private key shows no secret when logged or converted to JSON', () => {
  const { d = '' } = privateKey.export({ format: 'jwk' })
  const hex = Buffer.from(d, 'base64url').toString('hex')
  const shown = inspect(own, { depth: 9, showHidden: true }) + JSON.stringify(own)
  assert.ok(!shown.includes(d) && !shown.includes(hex))
  assert.ok(JSON.stringify(testKey('brand')).includes(testKey('brand').publicKey.id))
})
