/**
 * `/device-session` returns the device that a session belongs to, or why the session is refused. Checks that
 * depend on the register run on both databases, those of the macaroon on one.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { DeviceSessionSchema, ErrorBodySchema } from '@ratafia/api/schemas'
import { addThirdPartyCaveat, encodeBase64Url, encodeBinary, mint } from '@ratafia/macaroon'
import { Check } from 'typebox/value'
import { startService } from '../../src/start/service/service.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { eachDatabase, onOne } from '../support/databases.ts'
import { addAcmeModel, presentingSession, serialAssertion, sessionOf } from '../support/devices.ts'
import {
  acmeWithDevices,
  conditionsOf,
  parsed,
  printed,
  type SignedDevice,
  withCaveat,
} from '../support/own-devices.ts'
import { sendRaw } from '../support/raw-http.ts'
import { type Answer, addPerson, call, logIn, testService } from '../support/service.ts'

const DAY = 86_400_000
const PATH = '/device-session'

const ownCaveat = (macaroon: string, name: string) =>
  conditionsOf(macaroon).find((condition) => condition.startsWith(`${name} `)) ?? assert.fail(name)

eachDatabase((kind, _open, fresh) => {
  const { testOnce, describeOnce } = onOne(kind)
  const service = testService(fresh)
  const { newKey, newDevice, holderOf } = acmeWithDevices(service, 'V', 12)
  let first: SignedDevice
  let macaroon: string
  before(async () => {
    first = newDevice()
    macaroon = await sessionOf(service, first)
  })
  const verify = (session: string, method = 'GET') =>
    call(service, method, PATH, { headers: presentingSession(session) })
  const decision = () => ({ at: service.now(), by: 'alice', reason: 'stolen from a van' })

  /** snapd refreshes automatically if the challenge contains this (contract/devices.md 1.3). */
  const assertRefused = ({ status, headers, body }: Answer, message: RegExp) => {
    assert.equal(status, 401, JSON.stringify(body))
    assert.ok(Check(ErrorBodySchema, body))
    assert.equal(headers.get('www-authenticate'), 'Macaroon refresh_device_session=1')
    assert.equal(headers.get('content-type'), 'application/json')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('ratafia-serial'), null)
    assert.equal(body.error_list[0]?.code, 'device-session-required')
    assert.match(body.error_list[0]?.message ?? '', message)
    assert.match(body.error_list[0]?.message ?? '', /^[ -~]{1,1000}$/)
  }

  describe('a valid session', () => {
    test('returns the device in the body and in headers', async () => {
      const { status, headers, body } = await verify(macaroon)
      assert.equal(status, 200)
      assert.ok(Check(DeviceSessionSchema, body), JSON.stringify(body))
      assert.equal(headers.get('content-type'), 'application/json')
      assert.equal(headers.get('cache-control'), 'no-store')
      const { 'brand-id': brand, model, serial, store } = body
      assert.deepEqual([brand, model, serial, store], ['acme-brand', 'acme-classic', 'V-1', 'acme-store'])
      assert.equal(Date.parse(body['valid-until']) - Date.parse(body['valid-since']), DAY)
      const said = Object.fromEntries([...headers].filter(([name]) => name.startsWith('ratafia-')))
      assert.deepEqual(said, {
        'ratafia-brand': brand,
        'ratafia-model': model,
        'ratafia-serial': serial,
        'ratafia-store': store,
        'ratafia-device-key': body['device-key-sha3-384'],
        'ratafia-session': body['session-id'],
        'ratafia-valid-until': body['valid-until'],
      })
      assert.equal(body['device-key-sha3-384'], first.key.publicKey.id)
    })

    testOnce('is also accepted in the header of the v2 calls, and once if it is in both', async () => {
      const { 'x-device-authorization': value = '' } = presentingSession(macaroon)
      const headers = { 'snap-device-authorization': value }
      assert.equal((await call(service, 'GET', PATH, { headers })).status, 200)
      const both = { ...headers, 'x-device-authorization': value }
      assert.equal((await call(service, 'GET', PATH, { headers: both })).status, 200)
    })

    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      testOnce(`is accepted with ${method}, whose body is ignored`, async () => {
        const headers = { ...presentingSession(macaroon), 'content-type': 'not a media type' }
        const body = method === 'GET' ? {} : { body: '{{{' }
        const answer = await call(service, method, PATH, { headers, ...body })
        assert.deepEqual([answer.status, answer.body.serial], [200, 'V-1'])
      })
    }

    testOnce('returns only headers for HEAD', async () => {
      const answer = await verify(macaroon, 'HEAD')
      assert.deepEqual([answer.status, answer.headers.get('ratafia-serial')], [200, 'V-1'])
      assert.equal(answer.body, undefined)
    })

    testOnce('is answered at once if a proxy passes on a length without a body', async () => {
      const request = [
        `POST ${PATH} HTTP/1.1`,
        'Host: x',
        'Content-Type: application/json',
        'Content-Length: 99999999',
        `X-Device-Authorization: Macaroon root="${macaroon}"`,
        '\r\n',
      ].join('\r\n')
      const [answer] = await sendRaw(service.baseUrl, request)
      assert.equal(answer?.status, 200)
    })

    testOnce(
      'has no store if the model names none, and headers percent-encode other characters',
      async () => {
        const modelText = await addAcmeModel(service.installation, 'acme-plain')
        const key = newKey()
        const serial = serialAssertion({ serial: 'a b%20ü"', key, model: 'acme-plain' })
        const { body, headers } = await verify(await sessionOf(service, { key, serial, modelText }))
        assert.deepEqual([body.serial, body.store], ['a b%20ü"', null])
        assert.equal(headers.get('ratafia-serial'), 'a%20b%2520%C3%BC"')
        assert.equal(headers.get('ratafia-store'), null)
      },
    )

    test('stays valid after a rotation of the root key', async () => {
      await service.installation.keyring.rotateRootKey()
      assert.equal((await verify(macaroon)).status, 200)
      assert.equal((await verify(await sessionOf(service, newDevice()))).status, 200)
    })

    test('is valid at another node that started later', async () => {
      const log = createLog({ level: 'silent', pretty: false })
      const { config } = service.installation
      const other = await startService({ config, log, clock: service.now })
      try {
        assert.equal((await call(other, 'GET', PATH, { headers: presentingSession(macaroon) })).status, 200)
      } finally {
        await other.close()
      }
    })
  })

  describeOnce('caveats that the holder adds', () => {
    test('change nothing if they are repetitions, in any order', async () => {
      const names = [
        'store',
        'serial',
        'session-id',
        'brand-id',
        'model',
        'device-key-sha3-384',
        'time-before',
      ]
      const same = names.reduce((text, name) => withCaveat(text, ownCaveat(macaroon, name)), macaroon)
      const { status, body } = await verify(same)
      assert.equal(status, 200)
      assert.deepEqual(body, (await verify(macaroon)).body)
    })

    test('can set an earlier expiry, but not a later one', async () => {
      const { body } = await verify(macaroon)
      const until = Date.parse(body['valid-until'])
      const [earlier, later] = [until - 1000, until + 1000].map((at) => new Date(at).toISOString())
      const narrowed = withCaveat(macaroon, `time-before ${earlier}`)
      assert.equal((await verify(narrowed)).body['valid-until'], earlier)
      const widened = withCaveat(macaroon, `time-before ${later}`)
      assert.equal((await verify(widened)).body['valid-until'], body['valid-until'])
    })

    test('cause 401 after the end and before the beginning that they set', async () => {
      const past = withCaveat(macaroon, 'time-before 2020-01-01T00:00:00Z')
      assertRefused(await verify(past), /^The device session expired at 2020-01-01T00:00:00\.000Z\.$/)
      const future = withCaveat(macaroon, 'time-since 2099-01-01T00:00:00Z')
      assertRefused(await verify(future), /not valid before 2099/)
    })

    // Guarantee: a caveat never widens a session.
    for (const condition of [
      'brand-id other',
      'model acme-gadget',
      'serial V-2',
      'store other-store',
      'device-key-sha3-384 x',
      'session-id 0198c5a0-0000-7000-8000-000000000000',
    ]) {
      test(`are refused with another ${condition.split(' ')[0]}`, async () => {
        assertRefused(await verify(withCaveat(macaroon, condition)), /contradicts its/)
      })
    }

    test('are refused with a store if the session had none', async () => {
      const key = newKey()
      const serial = serialAssertion({ serial: 'no-store', key, model: 'acme-plain' })
      const plain = await sessionOf(service, { key, serial, modelText: null })
      assert.equal((await verify(plain)).body.store, null)
      assertRefused(await verify(withCaveat(plain, 'store acme-store')), /contradicts its store/)
    })

    for (const condition of [
      'may fly',
      'extra {}',
      'declared userid x',
      'error no',
      ' ',
      'time-before soon',
    ]) {
      test(`are refused if unknown: ${JSON.stringify(condition)}`, async () => {
        assertRefused(await verify(withCaveat(macaroon, condition)), /^The device session is not valid: /)
      })
    }

    test('are refused if they are third-party caveats, or not text', async () => {
      const input = { rootKey: Buffer.alloc(32, 1), id: Buffer.from('x'), location: 'elsewhere' }
      const third = printed(addThirdPartyCaveat(parsed(macaroon), input))
      assertRefused(await verify(third), /does not verify: A third-party caveat/)
    })
  })

  describe('a session that is refused with 401', () => {
    for (const [what, headers, message] of [
      ['is missing', {}, /carries no device session/],
      ['is in the header of tokens', { authorization: 'Macaroon abc' }, /carries no device session/],
      ['is malformed', { 'x-device-authorization': 'Macaroon root="*"' }, /malformed/],
      ['has a different scheme', { 'snap-device-authorization': 'Basic abc' }, /not of the form/],
      [
        'differs from a second one',
        {
          'x-device-authorization': 'Macaroon root="a"',
          'snap-device-authorization': 'Macaroon root="b"',
        },
        /two device sessions/,
      ],
      ['is too large', { 'x-device-authorization': `Macaroon root="${'A'.repeat(60_000)}"` }, /malformed/],
    ] as const) {
      testOnce(what, async () => assertRefused(await call(service, 'GET', PATH, { headers }), message))
    }

    // Guarantee: only sessions that this service minted are accepted.
    testOnce('is forged, truncated, foreign, or of a different kind', async () => {
      const root = parsed(macaroon)
      const rootKey = Buffer.alloc(32, 1)
      assertRefused(await verify(printed(mint({ rootKey, id: root.id, location: 'x' }))), /does not verify/)
      const cut = { ...root, caveats: root.caveats.slice(0, -1) }
      assertRefused(await verify(printed(cut)), /does not verify/)
      const foreign = mint({ rootKey, id: Buffer.from('foreign'), location: 'x' })
      assertRefused(await verify(printed(foreign)), /not issued by this service/)
      assertRefused(await verify(await logIn(service, await addPerson(service))), /not a device session/)
    })

    testOnce('contains two macaroons', async () => {
      const two = encodeBase64Url(encodeBinary(parsed(macaroon), parsed(macaroon)))
      assertRefused(await verify(two), /more than one macaroon/)
    })

    test('has expired, from that instant on', async () => {
      const session = await sessionOf(service, newDevice())
      const { body } = await verify(session)
      service.advance(DAY - 60_000)
      assert.equal((await verify(session)).status, 200)
      service.advance(60_000)
      assertRefused(await verify(session), /^The device session expired at \S+Z\.$/)
      assert.ok(Date.parse(body['valid-until']) <= service.now().getTime())
    })

    // Guarantee: a revocation stops the sessions of a device with the next request.
    test('is revoked, which is reported even if the session has expired', async () => {
      const device = newDevice()
      const session = await sessionOf(service, device)
      await service.installation.devices.revoke(await holderOf(device), decision())
      const message = /^The device was revoked at \S+Z by alice\. Ask its operator\.$/
      assertRefused(await verify(session), message)
      service.advance(2 * DAY)
      assertRefused(await verify(session), message)
    })

    test('is superseded by another device key', async () => {
      const device = newDevice()
      const session = await sessionOf(service, device)
      const key = newKey()
      const taken = serialAssertion({ serial: device.serial.fields.serial, key, revision: 1 })
      const other = await sessionOf(service, { key, serial: taken })
      assertRefused(await verify(session), /^The device was superseded at \S+Z: /)
      assert.equal((await verify(other)).status, 200)
    })

    test('is in quarantine, until its device is released', async () => {
      const device = newDevice()
      const session = await sessionOf(service, device)
      const row = await holderOf(device)
      await service.installation.devices.setQuarantine(row, service.now())
      assertRefused(await verify(session), /^The device has been in quarantine since \S+Z, /)
      await service.installation.devices.setQuarantine(row, null)
      assert.equal((await verify(session)).status, 200)
    })

    test('is no longer in the database, as after a restore', async () => {
      const device = newDevice()
      const session = await sessionOf(service, device)
      const later = new Date(service.now().getTime() + 9 * DAY)
      await service.installation.deviceSessions.removeExpired(later, 9999)
      assertRefused(await verify(session), /no longer knows the device session/)
    })
  })
})
