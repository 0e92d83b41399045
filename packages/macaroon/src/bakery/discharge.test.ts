import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MacaroonError, type UnverifiedSlice, verify } from '../index.ts'
import {
  addBakeryCaveat,
  BakeryError,
  type BakeryMacaroon,
  type BakeryVersion,
  decodeBakeryMacaroon,
  discharge,
  dischargeAll,
  dischargeLocal,
  encodeBakeryMacaroon,
  encodeCaveatId,
  generateKeyPair,
  mintBakeryMacaroon,
} from './index.ts'

const rootKey = Buffer.alloc(32, 1)
const service = generateKeyPair()
const identity = generateKeyPair()
const agent = generateKeyPair()
const location = 'https://id.example'
const VERSIONS: readonly BakeryVersion[] = [1, 2, 3]

const needs = (condition: string, version: BakeryVersion, thirdPartyVersion = version): BakeryMacaroon =>
  addBakeryCaveat(mintBakeryMacaroon({ rootKey, id: 'root', version }), {
    condition,
    thirdParty: { location, publicKey: identity.publicKey, version: thirdPartyVersion },
    firstParty: service,
  })

const conditions = (slice: UnverifiedSlice): string[] => verify(slice, rootKey).map((c) => c.condition)

for (const version of VERSIONS) {
  for (const thirdPartyVersion of VERSIONS) {
    test(`a version ${version} macaroon works with a version ${thirdPartyVersion} discharger`, async () => {
      const written = JSON.stringify(
        encodeBakeryMacaroon(needs('need-declared userid ok', version, thirdPartyVersion)),
      )
      const root = decodeBakeryMacaroon(JSON.parse(written))
      const expected = Math.min(version, thirdPartyVersion)
      const slice = await dischargeAll(root, async (need) => {
        assert.equal(need.location, location)
        assert.equal(need.caveat !== undefined, expected === 3)
        const made = await discharge({
          ...need,
          keyPairs: [identity],
          check: (condition, info) => {
            assert.equal(condition, 'ok')
            assert.deepEqual(info.needDeclared, ['userid'])
            assert.deepEqual(info.firstPartyPublicKey, service.publicKey)
            return ['declared userid abc']
          },
        })
        assert.equal(made.version, expected)
        return decodeBakeryMacaroon(JSON.parse(JSON.stringify(encodeBakeryMacaroon(made))))
      })
      assert.deepEqual(conditions(slice), ['declared userid abc'])
    })
  }
}

// Guarantee: a discharge always declares every requested key, so that a client can't add one unnoticed.
test('declares keys that the check does not declare with an empty value', async () => {
  const root = needs('need-declared userid,email,name ok', 2)
  const check = (): string[] => ['declared email e@example', 'time-before 2100-01-01T00:00:00Z']
  const slice = await dischargeAll(root, (need) => discharge({ ...need, keyPairs: [identity], check }))
  assert.deepEqual(conditions(slice), [
    'declared email e@example',
    'time-before 2100-01-01T00:00:00Z',
    'declared userid ',
    'declared name ',
  ])
})

test('a discharge can need another one, with a short id below its own', async () => {
  const root = needs('outer', 3)
  const slice = await dischargeAll(root, async (need) => {
    const check = (): string[] => ['declared a b']
    const made = await discharge({ ...need, keyPairs: [identity], check })
    if (need.id.length > 2) return made
    const thirdParty = { location, publicKey: identity.publicKey, version: 3 as const }
    return addBakeryCaveat(made, { condition: 'inner', thirdParty, firstParty: identity, idPrefix: need.id })
  })
  assert.deepEqual(
    slice.map((m) => Buffer.from(m.id).toString('hex')),
    [Buffer.from('root').toString('hex'), '0300', '030000'],
  )
  assert.deepEqual(conditions(slice), ['declared a b', 'declared a b'])
})

test('an old key pair still opens caveats sealed to it', async () => {
  const need = needs('ok', 2).macaroon.caveats[0]
  assert.ok(need)
  const made = await discharge({ id: need.id, keyPairs: [generateKeyPair(), identity], check: () => [] })
  assert.deepEqual(made.macaroon.id, need.id)
})

test('a discharge rejects with the error that the check throws', async () => {
  const refusal = new Error('sign in first')
  const check = (): never => {
    throw refusal
  }
  const id = needs('ok', 2).macaroon.caveats[0]?.id ?? Buffer.of()
  await assert.rejects(discharge({ id, keyPairs: [identity], check }), refusal)
})

// Guarantee: no discharge has a root key that could be guessed.
for (const version of VERSIONS) {
  test(`refuses a root key of 15 bytes and accepts one of 16 (version ${version})`, async () => {
    const seal = (length: number): Uint8Array =>
      encodeCaveatId({
        version,
        condition: 'ok',
        rootKey: Buffer.alloc(length, 7),
        thirdPartyPublicKey: identity.publicKey,
        firstParty: service,
      })
    const run = (length: number): Promise<BakeryMacaroon> =>
      discharge({ id: Buffer.from('e'), caveat: seal(length), keyPairs: [identity], check: () => [] })
    await run(16)
    await assert.rejects(run(15), {
      code: 'weak-root-key',
      message: 'The caveat has a root key of less than 16 bytes',
    })
  })
}

test('refuses a public key of low order, because anyone could seal with it', async () => {
  const id = Buffer.from(needs('ok', 2).macaroon.caveats[0]?.id ?? Buffer.of())
  id.fill(0, 5, 37)
  await assert.rejects(discharge({ id, keyPairs: [identity], check: () => [] }), {
    code: 'malformed',
    message: 'The public key of the other party is not usable',
  })
})

test('refuses a version 1 payload with a binary id, which version 1 does not allow', async () => {
  const caveat = needs('ok', 1).macaroon.caveats[0]?.id
  const input = { id: Buffer.of(0xff), caveat, keyPairs: [identity], check: () => [] }
  await assert.rejects(discharge(input), { code: 'malformed' })
})

test('refuses a condition over 4 KiB and a caveat over 16 KiB', async () => {
  const run = (id: Uint8Array): Promise<BakeryMacaroon> =>
    discharge({ id, keyPairs: [identity], check: () => [] })
  const long = needs('x'.repeat(5000), 2).macaroon.caveats[0]?.id ?? Buffer.of()
  await assert.rejects(run(long), {
    code: 'limit-exceeded',
    message: 'The condition of the caveat is over 4096 bytes',
  })
  await assert.rejects(run(Buffer.alloc(16 * 1024 + 1, 2)), { code: 'limit-exceeded' })
})

test('an agent proves that it has its key by discharging a local caveat', async () => {
  for (const version of VERSIONS) {
    const thirdParty = { location: 'local', publicKey: agent.publicKey, version }
    const login = mintBakeryMacaroon({ rootKey, id: 'login', version })
    const root = addBakeryCaveat(login, { condition: 'true', thirdParty, firstParty: service })
    const never = (): never => assert.fail('The caveat is local')
    assert.deepEqual(conditions(await dischargeAll(root, never, { localKeyPair: agent })), [])
    await assert.rejects(dischargeAll(root, never, { localKeyPair: generateKeyPair() }), {
      code: 'public-key-mismatch',
    })
    const other = addBakeryCaveat(login, { condition: 'is-rich', thirdParty, firstParty: service })
    await assert.rejects(dischargeAll(other, never, { localKeyPair: agent }), {
      code: 'not-local',
      message: 'A local caveat must have the condition "true"',
    })
  }
})

test('refuses a discharge for a different caveat, and more discharges than the limit', async () => {
  const wrong = mintBakeryMacaroon({ rootKey, id: 'other', version: 2 })
  await assert.rejects(
    dischargeAll(needs('ok', 2), () => wrong),
    (error) => error instanceof BakeryError && error.code === 'wrong-discharge',
  )
  const thirdParty = { location, publicKey: identity.publicKey, version: 3 as const }
  const endless = async (need: {
    id: Uint8Array
    caveat: Uint8Array | undefined
  }): Promise<BakeryMacaroon> => {
    const made = await discharge({ ...need, keyPairs: [identity], check: () => [] })
    return addBakeryCaveat(made, { condition: 'again', thirdParty, firstParty: identity, idPrefix: need.id })
  }
  await assert.rejects(dischargeAll(needs('ok', 3), endless), {
    code: 'limit-exceeded',
    message: 'The macaroon needs more than 15 discharges, which is the limit',
  })
})

test('a local discharge is bound like any other, so it is useless with another macaroon', async () => {
  const thirdParty = { location: 'local', publicKey: agent.publicKey, version: 2 as const }
  const login = mintBakeryMacaroon({ rootKey, id: 'login', version: 2 })
  const { macaroon } = addBakeryCaveat(login, { condition: 'true', thirdParty, firstParty: service })
  const unbound = dischargeLocal({ id: macaroon.caveats[0]?.id ?? Buffer.of(), keyPair: agent }).macaroon
  assert.throws(
    () => verify([macaroon, unbound], rootKey),
    (error) => error instanceof MacaroonError && error.code === 'bad-signature',
  )
})
