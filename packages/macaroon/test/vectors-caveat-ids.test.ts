import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BakeryError,
  type BakeryErrorCode,
  type BakeryVersion,
  decodeCaveatId,
  decodeKey,
  discharge,
  encodeCaveatId,
  formatNamespace,
  parseNamespace,
} from '../src/bakery/index.ts'
import { encodeBase64 } from '../src/index.ts'
import { fromHex, toHex, vectorKeyPairs, vectors } from './vectors.ts'

interface CaveatIdVector {
  readonly name: string
  readonly bakery_version: BakeryVersion
  readonly condition: string
  readonly root_key_hex: string
  readonly first_party: string
  readonly third_party: string
  readonly caveat_id: { readonly hex: string }
  readonly namespace: string
  readonly nonce_hex: string
}

const keys = vectorKeyPairs()

test('vector 03: reads keys from text, and derives public keys from private keys', () => {
  const texts = vectors<{ keys: Record<string, { public: string; private: string; public_hex: string }> }>(
    '03-caveat-ids',
  ).keys
  for (const [name, pair] of Object.entries(keys)) {
    assert.equal(toHex(pair.publicKey), texts[name]?.public_hex)
    assert.equal(encodeBase64(pair.publicKey), texts[name]?.public)
    assert.deepEqual(decodeKey(texts[name]?.private ?? ''), pair.privateKey)
  }
})

for (const vector of vectors<{ cases: CaveatIdVector[] }>('03-caveat-ids').cases) {
  const own = keys[vector.third_party]
  const firstParty = keys[vector.first_party]
  const other = keys['other']
  assert.ok(own && firstParty && other)

  test(`vector 03 ${vector.name}: opens with the third party's key, even if it has newer ones`, () => {
    const decoded = decodeCaveatId(fromHex(vector.caveat_id.hex), [other, own])
    assert.equal(decoded.version, vector.bakery_version)
    assert.equal(decoded.condition, vector.condition)
    assert.equal(toHex(decoded.rootKey), vector.root_key_hex)
    assert.equal(toHex(decoded.firstPartyPublicKey), toHex(firstParty.publicKey))
    // Only version 3 contains its namespace. The others have the standard one, even if the macaroon's was different.
    assert.equal(formatNamespace(decoded.namespace), vector.bakery_version === 3 ? vector.namespace : 'std:')
    assert.equal(decoded.keyPair, own)
    assert.throws(() => decodeCaveatId(fromHex(vector.caveat_id.hex), [other]), {
      code: 'public-key-mismatch',
      message: 'The caveat is not sealed to our public key',
    })
  })

  test(`vector 03 ${vector.name}: sealing again with the same nonce gives the same caveat`, () => {
    const again = encodeCaveatId({
      version: vector.bakery_version,
      condition: vector.condition,
      rootKey: fromHex(vector.root_key_hex),
      namespace: parseNamespace(vector.namespace),
      thirdPartyPublicKey: own.publicKey,
      firstParty,
      nonce: fromHex(vector.nonce_hex),
    })
    if (vector.bakery_version === 1) {
      // Libraries space JSON differently, so this compares the contents.
      const decoded = decodeCaveatId(again, [own])
      assert.deepEqual(decoded, decodeCaveatId(fromHex(vector.caveat_id.hex), [own]))
      assert.equal(again[0], 'e'.charCodeAt(0))
    } else {
      assert.equal(toHex(again), vector.caveat_id.hex)
    }
  })
}

interface InvalidVector {
  readonly name: string
  readonly id_hex: string
  readonly caveat_hex: string | null
  readonly expect: 'ok' | 'error' | 'depends'
}

/** Our code for each case that the vectors call an error. The codes are our choice. */
const CODES: Readonly<Record<string, BakeryErrorCode>> = {
  'short-id-without-payload': 'payload-missing',
  'version-4': 'unsupported-version',
  'version-1-binary': 'unsupported-version',
  'truncated-box': 'undecryptable',
  'tampered-box': 'undecryptable',
  'pk-prefix-mismatch': 'public-key-mismatch',
  'outer3-inner2': 'malformed',
  'rootkey-length-overrun': 'malformed',
  'rootkey-length-huge': 'malformed',
  'namespace-dup': 'malformed',
  'empty-plaintext': 'payload-missing',
  'v1-wrong-tp-key': 'public-key-mismatch',
  'v1-no-fp-key': 'malformed',
  'v1-not-json': 'malformed',
}

const invalid = vectors<{ key: string; cases: InvalidVector[] }>('07-caveat-ids-invalid')
for (const vector of invalid.cases) {
  test(`vector 07 ${vector.name}: ${vector.expect}`, async () => {
    const own = keys[invalid.key]
    assert.ok(own)
    const caveat = vector.caveat_hex === null ? undefined : fromHex(vector.caveat_hex)
    const input = { id: fromHex(vector.id_hex), caveat, keyPairs: [own], check: () => [] }
    const code = CODES[vector.name] ?? (vector.expect === 'error' ? weakOrMissing(vector.name) : undefined)
    if (code !== undefined) {
      await assert.rejects(discharge(input), (error) => error instanceof BakeryError && error.code === code)
      return
    }
    // "depends" is base64 in the other alphabet, which this package reads.
    const { macaroon } = await discharge(input)
    assert.equal(toHex(macaroon.id), vector.id_hex)
  })
}

function weakOrMissing(name: string): BakeryErrorCode {
  throw new Error(`No code is expected for ${name}`)
}
