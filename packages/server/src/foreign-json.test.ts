/** Tests of other programs' documents: a null member is absent, and no depth of nesting is too much. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readIdToken } from './ci/id-token/read.ts'
import { fetchKeys } from './ci/issuers/keys/fetch-keys.ts'
import { documentIn, objectDocumentIn } from './foreign-json.ts'

test('null members are absent at every level, but list items stay', () => {
  assert.deepEqual(documentIn('{"a":null,"b":{"c":null,"d":[null,{"e":null,"f":1}]}}'), {
    b: { d: [null, { f: 1 }] },
  })
  assert.equal(objectDocumentIn('null'), undefined)
  assert.equal(Object.hasOwn(objectDocumentIn('{"__proto__":{"a":null},"b":null}') ?? {}, '__proto__'), true)
})

// Guarantee: a document cannot overflow the stack.
test('reads nesting of any depth', () => {
  const deep = 100_000
  assert.ok(documentIn(`{"x":null,"a":${'['.repeat(deep)}null${']'.repeat(deep)}}`))
})

test('null as the algorithms of a discovery document means that it does not name any', async () => {
  const url = 'https://issuer.example'
  const document = { issuer: url, jwks_uri: `${url}/keys`, id_token_signing_alg_values_supported: null }
  const fetched = await fetchKeys({ url, settings: { privateAddresses: [] } as never }, async (where) =>
    where.endsWith('/keys') ? '{"keys":[]}' : JSON.stringify(document),
  )
  assert.equal(fetched.algorithms, '[]')
})

test('a null claim is absent', () => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = `${part({ alg: 'RS256' })}.${part({ iss: 'https://issuer.example', nbf: null, jti: null })}.c2ln`
  assert.deepEqual(readIdToken(token).unverifiedClaims, { iss: 'https://issuer.example' })
})
