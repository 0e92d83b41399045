/**
 * Attacks by a stranger, a clone or a device with old assertions on remodels, models, hardware proofs and quarantine.
 * Those that involve the register run on both databases, those with only signatures and models on one.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encode, type PrivateKey } from '@ratafia/assertions'
import type { ModelName } from '../../src/brands/models/model-policy.ts'
import { revokeDevice } from '../../src/devices/decide.ts'
import { allowRemodel, updateModel } from '../support/as-operator.ts'
import { deciding } from '../support/authorities.ts'
import { testKey, vector } from '../support/brands.ts'
import { eachDatabase, onOne } from '../support/databases.ts'
import {
  ACME,
  AUTH,
  acmeModel,
  getRequestId,
  openSession,
  presentingSession,
  type RegisterInput,
  register,
  registered,
  serialAssertion,
  sessionBody,
  sessionOf,
} from '../support/devices.ts'
import {
  acmeWithKeys,
  newModels,
  remodelHeaders,
  type TestModel,
  withHardware,
} from '../support/own-devices.ts'
import { call, refusalOf, testService } from '../support/service.ts'

const DAY = 86_400_000

eachDatabase((kind, _open, fresh) => {
  const { testOnce } = onOne(kind)
  // Two nodes on one database.
  const nodes = [testService(fresh), testService(fresh)] as const
  const [service, other] = nodes
  const newKey = acmeWithKeys(service, 26)
  const newModel = newModels(service, 'attack')

  describe('a remodel', () => {
    const becoming = (
      from: { readonly name: ModelName },
      to: TestModel,
      original: Uint8Array,
      serial: string,
      key: PrivateKey,
    ) => ({ ...to.of, key, serial, original, headers: remodelHeaders(from.name, serial) })

    test('keeps one serial of each model, however often a device changes to a different model and back', async () => {
      const [one, two] = [await newModel(), await newModel()]
      await allowRemodel({ from: one.name, to: two.name }, service.installation)
      await allowRemodel({ from: two.name, to: one.name }, service.installation)
      const key = newKey()
      const first = await registered(service, { ...one.of, key, serial: 'SN-1' })
      const second = await registered(service, becoming(one, two, encode(first), 'SN-1', key))
      for (let round = 0; round < 2; round++) {
        const back = await registered(service, becoming(two, one, encode(second), 'SN-1', key))
        assert.deepEqual(encode(back), encode(first))
        const again = await registered(service, becoming(one, two, encode(first), 'SN-1', key))
        assert.deepEqual(encode(again), encode(second))
      }
      assert.deepEqual([(await one.rows()).length, (await two.rows()).length], [1, 1])
    })

    testOnce("is refused through a model that can't become the new one", async () => {
      const [one, two, three] = [await newModel(), await newModel(), await newModel()]
      await allowRemodel({ from: one.name, to: two.name }, service.installation)
      await allowRemodel({ from: two.name, to: three.name }, service.installation)
      const key = newKey()
      const first = encode(await registered(service, { ...one.of, key, serial: 'SN-1' }))
      const refusal = refusalOf(await register(service, becoming(one, three, first, 'SN-1', key)))
      assert.match(refusal.message, /can't become/)
      // The serial of one model under the name of the other.
      const input = becoming(two, three, first, 'SN-1', key)
      assert.match(refusalOf(await register(service, input)).message, /does not match the headers/)
      assert.deepEqual(await three.rows(), [])
    })

    testOnce('is refused with a serial of another brand, or one that the brand never signed', async () => {
      const [one, two] = [await newModel(), await newModel()]
      await allowRemodel({ from: one.name, to: two.name }, service.installation)
      const key = newKey()
      const own = { serial: 'SN-1', key, model: one.name.model }
      const forged = encode(serialAssertion({ ...own, signer: testKey('root') }))
      const refusal = refusalOf(await register(service, becoming(one, two, forged, 'SN-1', key)))
      assert.equal(refusal.code, 'invalid-assertion')
      // A brand that is trusted for its own devices.
      const generic = { 'authority-id': 'generic', 'brand-id': 'generic' }
      const foreign = encode(serialAssertion({ ...own, signer: testKey('generic'), headers: generic }))
      const theirs = { name: { ...one.name, brandId: 'generic' } }
      for (const [from, message] of [
        [one, /does not match the headers/],
        [theirs, /can't become/],
      ] as const) {
        assert.match(
          refusalOf(await register(service, becoming(from, two, foreign, 'SN-1', key))).message,
          message,
        )
      }
      assert.deepEqual(await two.rows(), [])
    })

    test('Guarantee: once a device is revoked, no node lets it become a different model', async () => {
      const [one, two] = [await newModel(), await newModel()]
      await allowRemodel({ from: one.name, to: two.name }, service.installation)
      const key = newKey()
      const original = encode(await registered(service, { ...one.of, key, serial: 'SN-1' }))
      const { id } = await one.holder('SN-1')
      const revoking = revokeDevice({ name: id, authority: deciding('maria') }, service.installation)
      const attempts = await Promise.all(
        [0, 1, 2, 3].map((index) =>
          register(nodes[index % 2] ?? service, becoming(one, two, original, 'SN-1', key)),
        ),
      )
      await revoking
      // Either the remodel was faster, and all attempts got the same serial, or the revocation was.
      const got = attempts.filter(({ status }) => status === 200)
      assert.equal(new Set(got.map(({ text }) => text)).size, Math.min(got.length, 1))
      assert.equal((await two.rows()).length, got.length > 0 ? 1 : 0)
      const late = await register(other, becoming(one, await thirdAfter(one), original, 'SN-1', key))
      assert.match(refusalOf(late).message, /its device is revoked/)
    })

    const thirdAfter = async (from: TestModel) => {
      const model = await newModel()
      await allowRemodel({ from: from.name, to: model.name }, service.installation)
      return model
    }
  })

  describe('an older revision of the model assertion', () => {
    const withRevisions = async () => {
      const model = await newModel({}, { store: 'old-store', 'serial-authority': ['generic'] })
      const newer = acmeModel(model.name.model, { revision: '1', store: 'new-store' })
      await updateModel({ name: 'newer', bytes: newer }, service.installation)
      return { ...model, newer }
    }
    const storeOf = async (macaroon: string) => {
      const headers = presentingSession(macaroon)
      return (await call(service, 'GET', '/device-session', { headers })).body.store
    }

    test('opens a session for its store; the newer revision, or none, opens one for the new store', async () => {
      const { of, newer } = await withRevisions()
      const key = newKey()
      const serial = await registered(service, { ...of, key, serial: 'SN-1' })
      const stores: string[] = []
      for (const modelText of [of.modelText, newer, null]) {
        stores.push(await storeOf(await sessionOf(service, { serial, key, modelText })))
      }
      assert.deepEqual(stores, ['old-store', 'new-store', 'new-store'])
    })

    test('Guarantee: a device that tries a new store and returns to the old one is not quarantined', async () => {
      const { of, newer, holder } = await withRevisions()
      const key = newKey()
      const quarantining = { quarantineClones: true }
      await service.installation.models.setPolicy({ brandId: ACME.brandId, model: of.model }, quarantining)
      const serial = await registered(service, { ...of, key, serial: 'SN-1' })
      const first = await sessionOf(service, { serial, key, modelText: of.modelText })
      // The change to the new revision: snapd requests a session there, and keeps the other until the change succeeds.
      await sessionOf(service, { serial, key, modelText: newer })
      const again = await openSession(service, { serial, key, modelText: of.modelText, previous: first })
      assert.equal(again.status, 200)
      const evidence = await service.installation.clones.evidenceOf(await holder('SN-1'))
      assert.deepEqual(new Set(evidence.map(({ kind }) => kind)), new Set(['second-chain']))
      // A clone that uses the same store is still found.
      await sessionOf(service, { serial, key, modelText: of.modelText })
      const clone = await openSession(service, {
        serial,
        key,
        modelText: of.modelText,
        previous: again.body.macaroon,
      })
      assert.match(refusalOf(clone).message, /in quarantine/)
    })
  })

  describe('proof of the hardware', () => {
    const { identity, signed } = withHardware(service)
    const bodyWith = (signature: string) =>
      JSON.stringify({ 'hardware-id-key-sha3-384': identity().keySha3, 'request-id-signature': signature })

    test('works only for the request-id that it signs, so a copy is useless to another device', async () => {
      const { of, rows } = await newModel({ hardwareIdentity: true })
      const requestId = await getRequestId(service)
      const body = bodyWith(signed(requestId))
      await registered(service, { ...of, key: newKey(), requestId, body })
      const key = newKey()
      const replayed = refusalOf(await register(other, { ...of, key, requestId, body }))
      assert.equal(replayed.code, 'invalid-nonce')
      const anew = refusalOf(await register(other, { ...of, key, body }))
      assert.match(anew.message, /is not signed with the key of hardware/)
      assert.equal((await rows()).length, 1)
    })

    testOnce('is cleanly refused with anything else in place of the signature', async () => {
      const { of, rows } = await newModel({ hardwareIdentity: true })
      const key = newKey()
      const requestId = await getRequestId(service)
      const good = signed(requestId)
      const { keySha3 } = identity()
      const raw = Buffer.from(good, 'base64')
      const flipped = Buffer.from(raw)
      flipped[10] = (flipped[10] as number) ^ 1
      for (const signature of [
        flipped.toString('base64'),
        raw.subarray(0, -1).toString('base64'),
        Buffer.concat([raw, Buffer.of(0)]).toString('base64'),
        signed(requestId, 'sha256', { dsaEncoding: 'ieee-p1363' }),
        signed(requestId, 'sha256', { key: vector('world/keys/brand.pem').bytes.toString() }),
        signed(requestId, 'sha1'),
        signed(`${requestId}\n`),
        Buffer.alloc(4096, 0x30).toString('base64'),
        'A'.repeat(100_000),
        `${good}\0`,
      ]) {
        const input: RegisterInput = { ...of, key, requestId, body: bodyWith(signature) }
        const { status, code, message } = refusalOf(await register(service, input))
        assert.deepEqual([status, code], [400, 'registration-refused'], message)
      }
      for (const body of [
        `{"__proto__":${bodyWith(good)}}`,
        `[${bodyWith(good)}]`,
        JSON.stringify({ 'hardware-id-key-sha3-384': [keySha3], 'request-id-signature': good }),
        JSON.stringify({ 'hardware-id-key-sha3-384': `${keySha3}%`, 'request-id-signature': good }),
      ]) {
        assert.equal(refusalOf(await register(service, { ...of, key, requestId, body })).status, 400)
      }
      assert.deepEqual(await rows(), [])
      await registered(service, { ...of, key, requestId, body: bodyWith(good) })
    })
  })

  describe('quarantine', () => {
    test("Guarantee: without the device key, an attacker can't put a device into quarantine", async () => {
      const { of, holder, rows } = await newModel({ quarantineClones: true })
      const key = newKey()
      const serial = await registered(service, { ...of, key, serial: 'SN-1' })
      const first = await sessionOf(service, { serial, key, modelText: of.modelText })
      const body = await sessionBody(service, { serial, key, modelText: of.modelText })
      const open = (headers: Record<string, string>) =>
        call(other, 'POST', `${AUTH}/sessions`, { headers, body })
      const { body: opened } = await open(presentingSession(first))
      // An attacker who saw all of it sends the request again, with each session and with none, and the
      // serial with a different key.
      for (const headers of [{}, presentingSession(first), presentingSession(opened.macaroon)])
        await open(headers)
      service.advance(2 * DAY)
      other.advance(2 * DAY)
      for (const headers of [{}, presentingSession(first), presentingSession(opened.macaroon)]) {
        assert.equal((await open(headers)).status, 400)
      }
      const stranger = newKey()
      await register(service, { ...of, key: stranger, serial: 'SN-1' })
      for (const previous of [first, opened.macaroon]) {
        const theirs = await openSession(service, {
          serial,
          key: stranger,
          modelText: of.modelText,
          previous,
        })
        assert.equal(refusalOf(theirs).code, 'invalid-assertion')
      }
      assert.equal((await holder('SN-1')).quarantinedAt, null)
      const next = { serial, key, modelText: of.modelText, previous: opened.macaroon }
      assert.equal((await openSession(service, next)).status, 200)
      assert.equal((await rows()).length, 1)
    })

    test("Guarantee: a device can't leave quarantine with a different serial, model or session", async () => {
      const model = await newModel({ quarantineClones: true, takenSerial: 'reissue' })
      const next = await newModel()
      await allowRemodel({ from: model.name, to: next.name }, service.installation)
      const key = newKey()
      const { of } = model
      const serial = await registered(service, { ...of, key, serial: 'SN-1' })
      const before = await sessionOf(service, { serial, key, modelText: of.modelText })
      await service.installation.devices.setQuarantine(await model.holder('SN-1'), service.now())
      const own = { key, model: model.name.model }
      const newer = serialAssertion({ serial: 'SN-1', revision: 7, ...own })
      const another = serialAssertion({ serial: 'SN-2', ...own })
      for (const one of [serial, newer, another]) {
        for (const previous of [undefined, before]) {
          const input = { serial: one, key, modelText: of.modelText, ...(previous ? { previous } : {}) }
          assert.notEqual((await openSession(service, input)).status, 200)
        }
      }
      const stranger = newKey()
      const taken = { ...of, key: stranger, serial: 'SN-1' }
      assert.match(refusalOf(await register(service, taken)).message, /belongs to another device key/)
      const signedElsewhere = serialAssertion({
        serial: 'SN-1',
        revision: 9,
        key: stranger,
        model: model.name.model,
      })
      const theirs = { serial: signedElsewhere, key: stranger, modelText: of.modelText }
      assert.match(refusalOf(await openSession(service, theirs)).message, /in quarantine/)
      const remodel: RegisterInput = {
        ...next.of,
        key,
        serial: 'SN-1',
        original: encode(serial),
        headers: remodelHeaders(model.name, 'SN-1'),
      }
      assert.match(refusalOf(await register(service, remodel)).message, /in quarantine/)
      assert.deepEqual([(await model.rows()).length, (await next.rows()).length], [1, 0])
    })
  })
})
