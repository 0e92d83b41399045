/** Guarantee: only public signature keys of the right type and strength verify ID tokens. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { testKeys } from '../../../test/support/id-tokens.ts'
import { importIssuerKeys, leftOutText, readKeySet } from './issuer-keys.ts'

const jwkOf = (key: KeyObject) => key.export({ format: 'jwk' })
const setOf = (...keys: readonly unknown[]) => JSON.stringify({ keys })
const RSA = { ...jwkOf(testKeys().rsa.publicKey), kid: 'r' }
/** A key that differs from the one that is kept. */
const OTHER = { ...RSA, kid: 'o' }
const kept = (...keys: readonly unknown[]): unknown[] => JSON.parse(readKeySet(setOf(...keys))).keys

const elliptic = (namedCurve: string) => jwkOf(generateKeyPairSync('ec', { namedCurve }).publicKey)
const importAll = (...keys: readonly unknown[]) =>
  importIssuerKeys({ revision: '1', keys: readKeySet(setOf(...keys)), algorithms: '[]' })

test('a key verifies the algorithms of its type, or only the one that it names', async () => {
  const ed = jwkOf(generateKeyPairSync('ed25519').publicKey)
  const algorithmsOf = async (jwk: object) => (await importAll(jwk)).keys[0]?.algorithms
  assert.deepEqual(await algorithmsOf(RSA), ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'])
  assert.deepEqual(await algorithmsOf({ ...RSA, alg: 'PS384' }), ['PS384'])
  assert.deepEqual(await algorithmsOf(elliptic('P-256')), ['ES256'])
  assert.deepEqual(await algorithmsOf(elliptic('P-384')), ['ES384'])
  assert.deepEqual(await algorithmsOf(elliptic('P-521')), ['ES512'])
  assert.deepEqual(await algorithmsOf(ed), ['EdDSA'])
})

test('keeps only the members that a public key needs, in a fixed order', () => {
  const ec = { ...elliptic('P-256'), kid: 'e' }
  const more = { ...RSA, use: 'sig', key_ops: ['verify'], x5c: ['MII…'], x5t: 'x', note: 'no' }
  assert.deepEqual(kept(more), [RSA])
  assert.equal(readKeySet(setOf(RSA, ec)), readKeySet(setOf(ec, more, RSA)))
})

const SMALL = jwkOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey)

for (const [what, jwk] of [
  ['a symmetric key', { kty: 'oct', k: 'c2VjcmV0', kid: 'r' }],
  ['a private key', { ...jwkOf(testKeys().replaced.privateKey), kid: 'p' }],
  ['an RSA key of 1024 bits', SMALL],
  ['an RSA key of 8200 bits', { ...OTHER, n: Buffer.alloc(1025, 255).toString('base64url') }],
  ['an RSA key with the exponent 1', { ...OTHER, e: 'AQ' }],
  ['an RSA key with a large exponent', { ...OTHER, e: RSA.n }],
  ['an RSA key without a modulus', { ...OTHER, n: undefined }],
  ['an RSA key whose modulus is a number', { ...OTHER, n: 5 }],
  ['an RSA key for encryption', { ...OTHER, use: 'enc' }],
  ['an RSA key for a different algorithm', { ...OTHER, alg: 'RSA-OAEP' }],
  ['an RSA key with the algorithm HS256', { ...OTHER, alg: 'HS256' }],
  ['an RSA key with the algorithm ES256', { ...OTHER, alg: 'ES256' }],
  ['a key only for signing', { ...OTHER, key_ops: ['sign'] }],
  ['a kid that is a number', { ...OTHER, kid: 7 }],
  ['a long kid', { ...OTHER, kid: 'x'.repeat(256) }],
  ['a point that is not on the curve', { ...elliptic('P-256'), y: 'AAAA' }],
  ['a key on another curve', elliptic('secp256k1')],
  ['a key for key agreement', jwkOf(generateKeyPairSync('x25519').publicKey)],
  ['an Ed448 key', jwkOf(generateKeyPairSync('ed448').publicKey)],
  ['an object without a key', { kid: 'r' }],
  ['a string', 'RSA'],
  ['null', null],
  ['a list', [RSA]],
] as const) {
  test(`leaves out ${what}`, () => {
    assert.deepEqual(kept(jwk, RSA), [RSA])
  })
}

for (const member of ['use', 'key_ops', 'alg', 'd', 'x5c', 'kid']) {
  test(`treats a null ${member} like an absent one`, () => {
    const without: Record<string, unknown> = { ...RSA }
    delete without[member]
    assert.deepEqual(kept({ ...RSA, [member]: null }), [without])
  })
}

test('counts the keys that are left out, by reason', async () => {
  const encryption = { ...OTHER, use: 'enc' }
  const { keys, leftOut } = await importAll(RSA, encryption, { ...encryption, kid: 'e' }, SMALL, {
    kty: 'oct',
    k: 'x',
  })
  assert.equal(keys.length, 1)
  assert.deepEqual(leftOut, {
    'malformed, weak, or for an algorithm that is not accepted': 1,
    'not for verifying signatures': 2,
    'not of the type RSA, EC or OKP': 1,
  })
  assert.match(
    leftOutText(leftOut) ?? '',
    /^Left out of its key set: 1 malformed, .*, 2 not for verifying signatures, 1 not of the type /,
  )
  assert.equal(leftOutText({}), undefined)
})

test('an issuer can withdraw all keys', () => {
  assert.equal(readKeySet('{"keys":[]}'), '{"keys":[]}')
})

for (const text of ['', '[]', '{}', '{"keys":{}}', 'null', '{"keys":[', '<html>']) {
  test(`${JSON.stringify(text)} is not a key set`, () => {
    assert.throws(() => readKeySet(text), { code: 'invalid-field', message: /not a JSON Web Key Set/ })
  })
}

test('refuses more than 100 keys', () => {
  const many = Array.from({ length: 100 }, (_, at) => ({ kty: 'oct', kid: `${at}` }))
  assert.deepEqual(kept(...many), [])
  assert.throws(() => readKeySet(setOf(...many, RSA)), {
    code: 'invalid-field',
    message: /more than 100 keys/,
  })
})

test('accepts the algorithms of the discovery document that we support, or all if it does not name any', async () => {
  const algorithmsOf = async (algorithms: string) =>
    (await importIssuerKeys({ revision: '7', keys: setOf(RSA), algorithms })).algorithms
  assert.deepEqual(await algorithmsOf('["HS256","none","RS256","EdDSA"]'), ['RS256', 'EdDSA'])
  assert.deepEqual(await algorithmsOf('["HS256"]'), [])
  assert.equal((await algorithmsOf('[]')).length, 10)
  assert.ok(!(await algorithmsOf('[]')).some((name) => name === 'none' || name.startsWith('HS')))
})
