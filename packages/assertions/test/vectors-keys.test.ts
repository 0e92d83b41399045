// Key ids, the canonical text and new signatures are the same bytes as snapd's.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeContent } from '../src/content.ts'
import {
  decode,
  decodePublicKey,
  decodeSignature,
  encode,
  encodePublicKey,
  type HeaderInput,
  publicKeyFromKeyObject,
  sign,
  signAsync,
  type TypeName,
  trustRoots,
  verifyTrust,
} from '../src/index.ts'
import { decoded, findIn, RECORDED, testKey, vector, vectorJson, vectorNames } from './vectors.ts'

interface KeyVector {
  readonly Name: string
  readonly ModulusHex: string
  readonly Exponent: number
  readonly Bits: number
  readonly Encoded: string
  readonly KeyID: string
}

for (const key of vectorJson<readonly KeyVector[]>('key-ids.json')) {
  test(`key ${key.Name} has the same id and encoding as in snapd`, () => {
    const { publicKey, keyObject } = testKey(key.Name)
    assert.equal(publicKey.id, key.KeyID)
    assert.equal(publicKey.bits, key.Bits)
    assert.equal(publicKey.exponent, key.Exponent)
    assert.equal(Buffer.from(publicKey.modulus).toString('hex'), key.ModulusHex)
    assert.equal(encodePublicKey(publicKey).replaceAll('\n', ''), key.Encoded.replaceAll('\n', ''))
    assert.deepEqual(decodePublicKey(key.Encoded), publicKey)
    assert.deepEqual(publicKeyFromKeyObject(keyObject), publicKey)
  })
}

interface EncodeVector {
  readonly Name: string
  readonly Type: TypeName
  readonly Headers: Readonly<Record<string, HeaderInput>>
  readonly Body: string
  readonly Content: string
}

for (const { Name, Type, Headers, Body, Content } of vectorJson<readonly EncodeVector[]>('encode.json')) {
  test(`writes the canonical text of ${Name}`, () => {
    const input = { type: Type, headers: Headers, body: Body }
    assert.equal(writeContent(input, testKey('device').publicKey.id).toString(), Content)
    const signed = sign(input, testKey('device'), { signedAt: RECORDED })
    assert.equal(Buffer.from(signed.content).toString(), Content)
    assert.deepEqual(decode(encode(signed)), signed)
  })
}

const single = vectorNames('valid').filter((name) => !name.startsWith('stream-'))
for (const name of single) {
  test(`signs valid/${name} again byte for byte`, async () => {
    const original = decoded(`valid/${name}`)
    const keys = ['root', 'brand', 'generic', 'device', 'device2', 'expired'].map(testKey)
    const key = keys.find(({ publicKey }) => publicKey.id === original.signKeyId)
    assert.ok(key !== undefined)
    const signedAt = decodeSignature(original.signature).createdAt
    const { type, headers, body } = original
    const again = sign({ type, headers, body }, key, { signedAt })
    assert.deepEqual(Buffer.from(encode(again)), vector(`valid/${name}`))
    assert.deepEqual(await signAsync({ type, headers, body }, key, { signedAt }), again)
  })
}

test("verifies Canonical's own assertions, with a root of 8192 bits and signatures by GnuPG", async () => {
  const roots = trustRoots(
    ['canonical/account-canonical', 'canonical/account-key-canonical-root'].map(decoded),
  )
  const all = vectorNames('canonical').map((name) => decoded(`canonical/${name}`))
  assert.equal(roots.keys[0]?.fields.publicKey.bits, 8192)
  for (const assertion of all) {
    assert.equal(await verifyTrust(assertion, { roots, find: findIn(all), now: RECORDED }), assertion)
  }
})
