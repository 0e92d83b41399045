/**
 * Nonces and opening sessions: every check with its own failing request on one database, and single use and
 * retries on both. Races are in `sessions-races.db.sampled.test.ts`.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { MacaroonResponseSchema, NonceResponseSchema } from '@ratafia/api/schemas'
import { encode } from '@ratafia/assertions'
import { decodeBase64, decodeBinary } from '@ratafia/macaroon'
import { Check } from 'typebox/value'
import type { NamedFile } from '../../src/brands/assertion-file.ts'
import { testKey, vector } from '../support/brands.ts'
import { eachDatabase, onOne } from '../support/databases.ts'
import {
  ACME,
  AUTH,
  acmeModel,
  addAcmeModel,
  deviceKey,
  freshDeviceKeys,
  getNonce,
  getRequestId,
  openSession,
  presentingSession,
  type SerialInput,
  type SessionRequestInput,
  serialAssertion,
  sessionBody,
  sessionOf,
  sessionRequest,
  textOf,
} from '../support/devices.ts'
import { acmeWithDevices, assertRefused, conditionsOf } from '../support/own-devices.ts'
import { call, testService } from '../support/service.ts'

const SECOND = 1_000
const MINUTE = 60_000
const DAY = 86_400_000

/** The model acme-classic for a different store. */
const ofStore = (store: string) => acmeModel(ACME.model, { store })

eachDatabase((kind, _open, fresh) => {
  const { describeOnce } = onOne(kind)
  const service = testService(fresh)
  const { newDevice, sessionsOf } = acmeWithDevices(service, 'S', 8)
  const post = (body: unknown, headers = {}) => call(service, 'POST', `${AUTH}/sessions`, { body, headers })

  describeOnce('nonces', () => {
    test('are issued to a POST without body and type, as snapd sends it, and each is different', async () => {
      const answer = await call(service, 'POST', `${AUTH}/nonces`)
      assert.equal(answer.status, 200)
      assert.ok(Check(NonceResponseSchema, answer.body))
      assert.equal(answer.headers.get('content-type'), 'application/json')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.match(answer.body.nonce, /^[A-Za-z0-9_-]+$/)
      assert.notEqual(await getNonce(service), answer.body.nonce)
    })
  })

  describeOnce('the macaroon of a session', () => {
    test('is unpadded base64url of one v2 macaroon, with its caveats in order', async () => {
      const { key, serial } = newDevice()
      const answer = await openSession(service, { serial, key })
      assert.equal(answer.status, 200)
      assert.ok(Check(MacaroonResponseSchema, answer.body))
      assert.equal(answer.headers.get('content-type'), 'application/json')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.match(answer.body.macaroon, /^[A-Za-z0-9_-]+$/)
      const [macaroon, ...more] = decodeBinary(decodeBase64(answer.body.macaroon))
      assert.equal(more.length, 0)
      assert.equal(macaroon.version, 2)
      assert.equal(macaroon.location, new URL(service.baseUrl).host)
      const [brand, model, number, store, keyId, since, until, session, ...rest] = conditionsOf(
        answer.body.macaroon,
      )
      assert.deepEqual(
        [brand, model, number, store, keyId, rest],
        [
          'brand-id acme-brand',
          'model acme-classic',
          `serial ${serial.fields.serial}`,
          'store acme-store',
          `device-key-sha3-384 ${key.publicKey.id}`,
          [],
        ],
      )
      assert.match(session ?? '', /^session-id [0-9a-f-]{36}$/)
      const [from, to] = [since, until].map((text) => Date.parse(text?.split(' ')[1] ?? ''))
      assert.match(`${since} ${until}`, /^time-since \S+Z time-before \S+Z$/)
      assert.equal((to ?? 0) - (from ?? 0), DAY)
    })

    test('has the store of the stored model assertion if the request contains none', async () => {
      const serial = serialAssertion({ serial: 'M-1', key: deviceKey('device2') })
      const macaroon = await sessionOf(service, { serial, key: deviceKey('device2'), modelText: null })
      assert.ok(conditionsOf(macaroon).includes('store acme-store'))
    })
  })

  // Guarantee: a client that lacks one of the proofs cannot open a session.
  describeOnce('is refused with its own message', () => {
    const serial = serialAssertion({ serial: 'C-1' })
    type Body = Readonly<Record<string, string>>
    type Mutation = (body: Body) => unknown
    const without =
      (field: string): Mutation =>
      ({ [field]: _, ...rest }) =>
        rest
    const set =
      (field: string, to: (body: Body) => unknown): Mutation =>
      (body) => ({ ...body, [field]: to(body) })
    const replace = (field: string, from: string | RegExp, to: string) =>
      set(field, (body) => body[field]?.replace(from, to))
    const asking =
      (input: Partial<SessionRequestInput>): Mutation =>
      async (body) => {
        const nonce = await getNonce(service)
        return { ...body, [REQUEST]: textOf(sessionRequest({ nonce, serial: 'C-1', ...input })) }
      }
    const bodyOf =
      (input: Partial<SerialInput>, model: { modelText?: Uint8Array | null } = {}): Mutation =>
      () =>
        sessionBody(service, { serial: serialAssertion({ serial: 'C-1', ...input }), ...model })
    const [SERIAL, REQUEST, MODEL] = ['serial-assertion', 'device-session-request', 'model-assertion']
    const INVALID_REQUEST = 'invalid-request'

    const mutations: readonly [what: string, mutate: Mutation, message: RegExp, code?: string][] = [
      ['no serial', without(SERIAL), /lacks the field "serial-assertion"/, INVALID_REQUEST],
      ['no request', without(REQUEST), /lacks the field/, INVALID_REQUEST],
      ['an unknown member', set('more', () => ''), /unknown field: "more"/, INVALID_REQUEST],
      ['a model that is null', set(MODEL, () => null), /must be a string/, 'invalid-field'],
      ['an empty serial', set(SERIAL, () => ''), /could not decode serial-assertion \(it is empty\)/],
      ['no assertion', set(SERIAL, () => 'hello'), /could not decode serial-assertion \(/],
      ['two serials', set(SERIAL, ({ [SERIAL]: one }) => `${one}\n${one}`), /more than one/],
      [
        'a model as serial',
        set(SERIAL, (body) => body[MODEL]),
        /serial-assertion is of type model, not serial/,
      ],
      [
        'a serial as request',
        set(REQUEST, (body) => body[SERIAL]),
        /is of type serial, not device-session-request/,
      ],
      ['a serial as model', set(MODEL, (body) => body[SERIAL]), /is of type serial, not model/],
      ['a lone surrogate', set(SERIAL, () => '\ud800'), /not UTF-8/],
      ['a zero byte', replace(SERIAL, 'C-1', 'C\u0000'), /invalid assertion/],
      [
        'a changed serial',
        replace(SERIAL, '2021-01-01', '2021-01-02'),
        /could not validate serial assertion \(the signature of the serial does not match/,
      ],
      [
        'a changed model',
        replace(MODEL, 'store: acme-store', 'store: evil-store'),
        /could not validate model assertion \(the signature of the model does not match/,
      ],
      [
        'a changed request',
        replace(REQUEST, /timestamp: 20../, 'timestamp: 1999'),
        /could not validate device-session-request \(the signature of the device-session-request does not match/,
      ],
      [
        'a different model',
        set(MODEL, () => textOf(vector('world/model-acme-gadget').bytes)),
        /the model of the model assertion differs from the serial/,
      ],
      [
        'a different model in the request',
        asking({ model: 'acme-gadget' }),
        /the model of the device-session-request differs/,
      ],
      [
        'another brand in the request',
        asking({ headers: { 'brand-id': 'other' } }),
        /the brand-id of the device-session-request differs/,
      ],
      [
        'a different serial in the request',
        asking({ serial: 'C-2' }),
        /the serial of the device-session-request differs/,
      ],
      [
        'a request that a different key signed',
        asking({ key: deviceKey('device2') }),
        /could not validate device-session-request \(the device-session-request names a different signing key/,
      ],
      [
        'a serial signed with an unknown key',
        bodyOf({ signer: testKey('unknown') }),
        /could not validate serial assertion \(no account-key assertion for the signing key/,
      ],
      [
        'a serial that the device signed itself',
        bodyOf({ signer: testKey('device') }),
        /no account-key assertion for the signing key/,
      ],
      [
        'a serial in the name of an account that the key is not of',
        bodyOf({ headers: { 'authority-id': 'test-root' } }),
        /belongs to "acme-brand"/,
      ],
      [
        'a serial from before its key',
        bodyOf({ headers: { timestamp: '2019-01-01T00:00:00Z' } }),
        /the timestamp of the serial, .*, is outside the validity of the key/,
      ],
      ['a serial number of 129 characters', bodyOf({ serial: 'x'.repeat(129) }), /more than 128 characters/],
      ['a serial number with a control character', bodyOf({ serial: 'a\u0007b' }), /unprintable ones/],
      [
        'a revision that is not in any register',
        bodyOf({ revision: 2 ** 31 }),
        /revision of the serial is too large/,
      ],
      [
        'a store with NUL in its name',
        bodyOf({}, { modelText: ofStore('a\0b') }),
        /the store of the model has .* unprintable ones/,
      ],
      [
        'a store whose name would not fit into a header',
        bodyOf({}, { modelText: ofStore('x'.repeat(129)) }),
        /the store of the model has more than 128 characters/,
      ],
      [
        'no model, and none is stored',
        bodyOf({ model: 'acme-gadget' }, { modelText: null }),
        /no model assertion for acme-brand\/acme-gadget\/C-1 .*send it as "model-assertion"/,
      ],
    ]
    for (const [what, mutate, message, code = 'invalid-assertion'] of mutations) {
      test(what, async () => {
        const body = await mutate(await sessionBody(service, { serial }))
        assertRefused(await post(body), 400, code, message)
      })
    }

    test('the request behind these mutations is valid', async () => {
      assert.equal((await openSession(service, { serial })).status, 200)
    })

    test('a body that is not a JSON object', async () => {
      assertRefused(await post('{{{'), 400, 'invalid-request', /not JSON/)
      assertRefused(await post('[]'), 400, 'invalid-request', /^The body must be/)
    })
  })

  describe('a serial that another account signed', () => {
    const genericKey = testKey('generic')
    const byGeneric = (serial: string, model: string) =>
      serialAssertion({ serial, model, signer: genericKey, headers: { 'authority-id': 'generic' } })
    before(async () => {
      const stored = (file: NamedFile, type: string, primaryKey: string) => ({
        type,
        primaryKey,
        revision: 0,
        encoded: file.bytes,
      })
      await service.installation.assertions.put(
        [
          stored(vector('world/account-generic'), 'account', 'generic'),
          stored(vector('world/account-key-generic'), 'account-key', genericKey.publicKey.id),
        ],
        new Date(),
      )
    })

    test('is accepted if the model names the account in serial-authority', async () => {
      const modelText = await addAcmeModel(service.installation, 'acme-lent', {
        headers: { 'serial-authority': ['generic'] },
      })
      const serial = byGeneric('G-1', 'acme-lent')
      assert.equal((await openSession(service, { serial, modelText })).status, 200)
    })

    test('is refused for other models', async () => {
      const serial = byGeneric('G-2', 'acme-gadget')
      const modelText = vector('world/model-acme-gadget').bytes
      assertRefused(
        await openSession(service, { serial, modelText }),
        400,
        'invalid-assertion',
        /could not validate serial assertion \("generic" may not sign serials of/,
      )
    })

    // Guarantee: an older revision of a model doesn't restore an account that the brand has dropped.
    test('is refused if only an older revision of the model names the account', async () => {
      const headers = { 'serial-authority': ['generic'] }
      const older = await addAcmeModel(service.installation, 'acme-taken', { headers })
      await service.installation.assertions.put(
        [
          {
            type: 'model',
            primaryKey: '16/acme-brand/acme-taken',
            revision: 1,
            encoded: acmeModel('acme-taken', { revision: '1' }),
          },
        ],
        new Date(),
      )
      assertRefused(
        await openSession(service, { serial: byGeneric('G-3', 'acme-taken'), modelText: older }),
        400,
        'invalid-assertion',
        /may not sign serials of/,
      )
    })
  })

  describe('a nonce', () => {
    const refusedBy = async (nonce: string, message: RegExp) =>
      assertRefused(
        await openSession(service, { serial: serialAssertion({ serial: 'C-1' }), nonce }),
        400,
        'invalid-nonce',
        message,
      )

    test('is refused if it is foreign, garbage or changed', async () => {
      await refusedBy('1234567890:9876543210', /did not issue the nonce/)
      await refusedBy('ü', /did not issue the nonce/)
      // One in 256 nonces has AA at the end.
      const changed = (await getNonce(service)).replace(/..$/, (end) => (end === 'AA' ? 'BA' : 'AA'))
      await refusedBy(changed, /did not issue the nonce/)
    })

    // Guarantee: neither kind passes for the other.
    test('is not a request-id', async () => {
      await refusedBy(await getRequestId(service), /did not issue the nonce/)
    })

    test('is valid for 600 seconds by our clock, and no longer', async () => {
      const serial = serialAssertion({ serial: 'C-1' })
      const [early, late] = [await getNonce(service), await getNonce(service)]
      service.advance(9 * MINUTE + 50 * SECOND)
      assert.equal((await openSession(service, { serial, nonce: early })).status, 200)
      service.advance(11 * SECOND)
      await refusedBy(late, /expired/)
    })

    test("does not depend on the device's clock", async () => {
      const serial = serialAssertion({ serial: 'C-1' })
      for (const timestamp of ['1970-01-01T00:00:00Z', '2099-01-01T00:00:00Z']) {
        const request = sessionRequest({
          nonce: await getNonce(service),
          serial: 'C-1',
          headers: { timestamp },
        })
        const body = {
          ...(await sessionBody(service, { serial })),
          'device-session-request': textOf(request),
        }
        assert.equal((await post(body)).status, 200)
      }
    })

    // Guarantee: a nonce works once.
    test('is refused in a second request', async () => {
      const serial = serialAssertion({ serial: 'C-1' })
      const nonce = await getNonce(service)
      const body = await sessionBody(service, { serial, nonce })
      assert.equal((await post(body)).status, 200)
      const other = textOf(sessionRequest({ nonce, serial: 'C-1', headers: { more: 'x' } }))
      assertRefused(await post({ ...body, 'device-session-request': other }), 400, 'invalid-nonce', /used/)
    })

    test('is used up only for its key: another key can use it once', async () => {
      const nonce = await getNonce(service)
      const [one, other] = await freshDeviceKeys(2)
      for (const [index, key] of [one, other].entries()) {
        assert.ok(key)
        const serial = serialAssertion({ serial: `C-SHARED-${index}`, key })
        assert.equal((await openSession(service, { serial, key, nonce })).status, 200)
        const again = textOf(
          sessionRequest({ nonce, serial: serial.fields.serial, key, headers: { more: 'x' } }),
        )
        const body = await sessionBody(service, { serial, key, nonce })
        assertRefused(await post({ ...body, 'device-session-request': again }), 400, 'invalid-nonce', /used/)
      }
    })

    test('is not used up by a refused request', async () => {
      const serial = serialAssertion({ serial: 'C-1' })
      const nonce = await getNonce(service)
      const body = await sessionBody(service, { serial, nonce })
      const bad = { ...body, 'serial-assertion': body['serial-assertion']?.replace('2021-', '2022-') }
      assertRefused(await post(bad), 400, 'invalid-assertion', /signature/)
      assert.equal((await post(body)).status, 200)
    })
  })

  describe('a repeated request', () => {
    test('gets the same answer within 60 seconds, and no second session', async () => {
      const { key, serial } = newDevice()
      const body = await sessionBody(service, { serial, key })
      const first = await post(body)
      service.advance(59 * SECOND)
      const second = await post(body)
      assert.deepEqual([first.status, second.status], [200, 200])
      assert.equal(second.body.macaroon, first.body.macaroon)
      assert.equal((await sessionsOf({ serial })).length, 1)
      service.advance(2 * SECOND)
      assertRefused(await post(body), 400, 'invalid-nonce', /used/)
    })

    test('gets the same answer even if the nonce has expired in the meantime', async () => {
      const { key, serial } = newDevice()
      const nonce = await getNonce(service)
      service.advance(595 * SECOND)
      const body = await sessionBody(service, { serial, key, nonce })
      const first = await post(body)
      service.advance(30 * SECOND)
      assert.equal((await post(body)).body.macaroon, first.body.macaroon)
    })

    test('gets the same answer after a rotation of the root key', async () => {
      const { key, serial } = newDevice()
      const body = await sessionBody(service, { serial, key })
      const first = await post(body)
      await service.installation.keyring.rotateRootKey()
      assert.equal((await post(body)).body.macaroon, first.body.macaroon)
    })

    test('counts as a different request with a different serial assertion, model or previous session', async () => {
      const { key, serial } = newDevice()
      const body = await sessionBody(service, { serial, key })
      const { body: opened } = await post(body)
      const newer = serialAssertion({ serial: serial.fields.serial, key, revision: 1 })
      const others: [unknown, Record<string, string>?][] = [
        [{ ...body, 'serial-assertion': textOf(encode(newer)) }],
        [
          {
            'serial-assertion': body['serial-assertion'],
            'device-session-request': body['device-session-request'],
          },
        ],
        [body, presentingSession(opened.macaroon)],
      ]
      for (const [other, headers] of others) {
        assertRefused(await post(other, headers), 400, 'invalid-nonce', /used/)
      }
    })
  })
})
