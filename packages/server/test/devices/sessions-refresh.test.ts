/**
 * Refreshing a session, and the register's decisions about devices that request one, on both databases; the
 * forms of the header on one.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type DeviceId, newDeviceId } from '@ratafia/api'
import { encode, type PrivateKey } from '@ratafia/assertions'
import { addFirstPartyCaveat, addThirdPartyCaveat, mint } from '@ratafia/macaroon'
import type { Device } from '../../src/devices/device.ts'
import { newDevice as newRow } from '../../src/devices/new-device.ts'
import { eachDatabase, onOne } from '../support/databases.ts'
import {
  ACME,
  AUTH,
  freshDeviceKeys,
  openSession,
  presentingSession,
  serialAssertion,
  sessionBody,
  sessionOf,
  withAcme,
} from '../support/devices.ts'
import { acmeWithDevices, assertRefused, parsed, printed, type SignedDevice } from '../support/own-devices.ts'
import { addPerson, call, logIn, testService } from '../support/service.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const HEADER = 'x-device-authorization'

eachDatabase((kind, _open, fresh) => {
  const { testOnce } = onOne(kind)
  const service = testService(fresh)
  const { newKey, newDevice, holderOf, sessionsOf } = acmeWithDevices(service, 'R', 40)
  /** A row as an operator could have imported it, without an assertion. */
  const rowOf = ({ serial }: SignedDevice, id: DeviceId, status: 'pending' | 'active'): Device => {
    const { brandId, model, serial: number, deviceKeyId } = serial.fields
    const name = { id, brandId, model, serial: number, deviceKeyId }
    return newRow({ ...name, status, origin: 'import', registeredAt: service.now() })
  }
  const decision = () => ({ at: service.now(), by: 'alice', reason: 'stolen from a van' })

  describe('refresh', () => {
    const device: { one: SignedDevice; previous: string } = { one: undefined as never, previous: '' }
    before(async () => {
      device.one = newDevice()
      device.previous = await sessionOf(service, device.one)
    })
    const withHeader = async (header: string) =>
      call(service, 'POST', `${AUTH}/sessions`, {
        headers: { [HEADER]: header },
        body: await sessionBody(service, device.one),
      })

    test('a valid session is refreshed by a new macaroon in the same chain, and the old one stays valid', async () => {
      const one = newDevice()
      const first = await sessionOf(service, one)
      const second = await sessionOf(service, { ...one, previous: first })
      assert.notEqual(second, first)
      const [newer, older, ...more] = await sessionsOf(one)
      assert.equal(more.length, 0)
      assert.deepEqual([newer?.chainId, newer?.previousId], [older?.id, older?.id])
      for (const previous of [first, second]) {
        const { status } = await call(service, 'GET', '/device-session', {
          headers: presentingSession(previous),
        })
        assert.equal(status, 200)
      }
    })

    test('an expired session can be refreshed', async () => {
      const one = newDevice()
      const previous = await sessionOf(service, one)
      service.advance(40 * DAY)
      assert.equal((await openSession(service, { ...one, previous })).status, 200)
    })

    test('a session from before a rotation of the root key can be refreshed', async () => {
      const one = newDevice()
      const previous = await sessionOf(service, one)
      await service.installation.keyring.rotateRootKey()
      assert.equal((await openSession(service, { ...one, previous })).status, 200)
    })

    test('refreshing a session that the database no longer has, as after a restore, begins a new chain', async () => {
      const one = newDevice()
      const previous = await sessionOf(service, one)
      await service.installation.deviceSessions.removeExpired(new Date(Date.now() + 99 * DAY), 9999)
      assert.equal((await openSession(service, { ...one, previous })).status, 200)
      assert.equal((await sessionsOf(one)).length, 1)
    })

    for (const [what, header] of [
      ['in double quotes', (text: string) => `Macaroon root="${text}"`],
      ['in single quotes', (text: string) => `Macaroon root='${text}'`],
      ['without quotes', (text: string) => `Macaroon root=${text}`],
      [
        'with the scheme in a different case and more spaces',
        (text: string) => ` macaroon   root="${text}" `,
      ],
      [
        'with padding',
        (text: string) => `Macaroon root="${Buffer.from(text, 'base64url').toString('base64')}"`,
      ],
    ] as const) {
      testOnce(`accepts the header ${what}`, async () => {
        assert.equal((await withHeader(header(device.previous))).status, 200)
      })
    }

    const INVALID = 'invalid-device-session'
    for (const [what, header, message] of [
      ['an empty header', '', /The header is empty\. Leave it out if there is no session yet\./],
      ['a header with only a space', ' ', /The header is empty/],
      ['no macaroon', 'Macaroon', /not of the form/],
      ['a different scheme', 'Bearer abc', /not of the form/],
      ['no root', 'Macaroon discharge="abc"', /not of the form/],
      ['an open quote', 'Macaroon root="abc', /not of the form/],
      ['two roots', 'Macaroon root="abc", root="abc"', /not of the form/],
      ['no base64', 'Macaroon root="***"', /malformed: Not base64/],
      ['base64 of no macaroon', 'Macaroon root="AA"', /malformed/],
      ['the longest possible header', `Macaroon root="${'A'.repeat(60_000)}"`, /malformed/],
      ['bytes beyond ASCII', 'Macaroon root="\u00ff"', /malformed|form/],
    ] as const) {
      // Guarantee: if the header is present, it must be valid.
      testOnce(`answers 401 for ${what}`, async () => {
        assertRefused(await withHeader(header), 401, INVALID, message)
      })
    }

    testOnce(
      'answers 401 for a session that is foreign, forged, changed or of a different kind',
      async () => {
        const root = parsed(device.previous)
        const foreign = mint({
          rootKey: Buffer.alloc(32, 1),
          id: Buffer.from('foreign'),
          location: 'elsewhere',
        })
        const forged = mint({ rootKey: Buffer.alloc(32, 1), id: root.id, location: root.location })
        const cut = { ...root, caveats: root.caveats.slice(0, -1) }
        const refused = async (macaroon: string, message: RegExp) =>
          assertRefused(await withHeader(`Macaroon root="${macaroon}"`), 401, INVALID, message)
        await refused(printed(foreign), /not issued by this service/)
        await refused(printed(forged), /does not verify/)
        await refused(printed(cut), /does not verify/)
        await refused(await logIn(service, await addPerson(service)), /not a device session/)
        await refused(printed(addFirstPartyCaveat(root, 'may fly')), /an unknown caveat: "may"/)
      },
    )

    // Guarantee: a session can be refreshed only for its own device.
    test('answers 401 for a valid session of another device', async () => {
      const other = await sessionOf(service, newDevice())
      assertRefused(await withHeader(`Macaroon root="${other}"`), 401, INVALID, /another device/)
    })

    test('answers 401 for a session of the same serial and a different device key', async () => {
      const old = newDevice()
      const previous = await sessionOf(service, old)
      const key = newKey()
      const serial = serialAssertion({ serial: old.serial.fields.serial, key, revision: 1 })
      assertRefused(await openSession(service, { key, serial, previous }), 401, INVALID, /another device/)
    })
  })

  describe('the register', () => {
    test('adds a device whose serial was signed elsewhere, with its assertion', async () => {
      const one = newDevice(3)
      await sessionOf(service, one)
      const device = await holderOf(one)
      const { status, origin, revision, deviceKeyId } = device
      assert.deepEqual(
        [status, origin, revision, deviceKeyId],
        ['active', 'session', 3, one.key.publicKey.id],
      )
      const [stored, ...more] = await service.installation.devices.serialAssertionsOf(device)
      assert.equal(more.length, 0)
      assert.deepEqual(
        [stored?.revision, stored?.authorityId, stored?.signingKeyId],
        [3, 'acme-brand', one.serial.signKeyId],
      )
      assert.equal(Buffer.compare(stored?.encoded ?? Buffer.alloc(0), encode(one.serial)), 0)
    })

    test('stores a higher revision of the same key, and ignores a lower one', async () => {
      const one = newDevice(1)
      await sessionOf(service, one)
      const { serial } = one.serial.fields
      await sessionOf(service, { ...one, serial: serialAssertion({ serial, key: one.key, revision: 4 }) })
      await sessionOf(service, { ...one, serial: serialAssertion({ serial, key: one.key, revision: 2 }) })
      const device = await holderOf(one)
      assert.equal(device.revision, 4)
      const stored = await service.installation.devices.serialAssertionsOf(device)
      assert.deepEqual(
        stored.map((assertion) => assertion.revision),
        [1, 4],
      )
    })

    test('gives the serial to another key with a higher revision, and the older device loses it', async () => {
      const old = newDevice()
      const previous = await sessionOf(service, old)
      const key = newKey()
      const serial = serialAssertion({ serial: old.serial.fields.serial, key, revision: 1 })
      await sessionOf(service, { key, serial })
      assert.equal((await holderOf(old)).deviceKeyId, key.publicKey.id)
      assertRefused(await openSession(service, { ...old, previous }), 400, 'device-refused', /superseded/)
    })

    for (const revision of [0, 1]) {
      test(`does not give revision 1 to another key with revision ${revision}`, async () => {
        const holder = newDevice(1)
        await sessionOf(service, holder)
        const key = newKey()
        const serial = serialAssertion({ serial: holder.serial.fields.serial, key, revision })
        assertRefused(await openSession(service, { key, serial }), 400, 'device-refused', /superseded/)
        assert.equal((await holderOf(holder)).deviceKeyId, holder.key.publicKey.id)
      })
    }

    test("stores an imported device's assertion from its own key, and doesn't give the serial to another key", async () => {
      const one = newDevice(1)
      await service.installation.devices.add(rowOf(one, newDeviceId(new Date()), 'active'))
      const key = newKey()
      const serial = serialAssertion({ serial: one.serial.fields.serial, key, revision: 7 })
      assertRefused(await openSession(service, { key, serial }), 400, 'device-refused', /superseded/)
      await sessionOf(service, one)
      const device = await holderOf(one)
      assert.equal(device.revision, 1)
      assert.equal((await service.installation.devices.serialAssertionsOf(device)).length, 1)
    })

    test('begins a new chain for a key that gets its serial back, with any session', async () => {
      const one = newDevice()
      const previous = await sessionOf(service, one)
      const { serial } = one.serial.fields
      const key = newKey()
      await sessionOf(service, { key, serial: serialAssertion({ serial, key, revision: 1 }) })
      const back = { key: one.key, serial: serialAssertion({ serial, key: one.key, revision: 2 }) }
      await sessionOf(service, { ...back, previous })
      const [session, ...more] = await sessionsOf(back)
      assert.deepEqual([session?.previousId, session?.chainId, more.length], [null, session?.id, 0])
      assert.deepEqual(await service.installation.clones.evidenceOf(await holderOf(back)), [])
    })

    // Guarantee: a device key has one serial per model.
    test('refuses a key a session with a second serial of the model', async () => {
      const one = newDevice()
      await sessionOf(service, one)
      const second = serialAssertion({ serial: `${one.serial.fields.serial}-B`, key: one.key })
      assertRefused(
        await openSession(service, { key: one.key, serial: second }),
        400,
        'device-refused',
        /has a different serial of this model, R-/,
      )
    })

    test("gives concurrent identical requests for another key's serial one answer", async () => {
      const old = newDevice()
      await sessionOf(service, old)
      const key = newKey()
      const serial = serialAssertion({ serial: old.serial.fields.serial, key, revision: 1 })
      const body = await sessionBody(service, { key, serial })
      const post = () => call(service, 'POST', `${AUTH}/sessions`, { body })
      const answers = await Promise.all(Array.from({ length: 10 }, post))
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      assert.equal(new Set(answers.map((answer) => answer.body.macaroon)).size, 1)
      const rows = await service.installation.devices.findBySerial(serial.fields)
      assert.deepEqual(rows.map(({ status }) => status).sort(), ['active', 'superseded'])
    })

    // Guarantee: a serial has one device key, however many race for it.
    test('gives a serial to only one of the keys that race for it', async () => {
      const contenders = Array.from({ length: 4 }, newKey)
      const answers = await Promise.all(
        contenders.map((key) =>
          openSession(service, { key, serial: serialAssertion({ serial: 'RACE', key }) }),
        ),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400])
      const rows = await service.installation.devices.findBySerial({ ...ACME, serial: 'RACE' })
      assert.equal(rows.length, 1)
    })

    for (const [status, message] of [
      ['pending', /is pending: its operator has not approved it/],
      ['rejected', /^The device was rejected at \S+ by alice\. Ask its operator\.$/],
    ] as const) {
      // Guarantee: a session doesn't decide about a registration that the operator has yet to decide about,
      // or has rejected.
      test(`refuses a session with a serial signed elsewhere to a device whose registration is ${status}`, async () => {
        const one = newDevice()
        const device = rowOf(one, newDeviceId(new Date()), 'pending')
        await service.installation.devices.add(device, Buffer.from('the serial-request'))
        if (status === 'rejected') await service.installation.devices.reject(device, decision())
        assertRefused(await openSession(service, one), 400, 'device-refused', message)
      })
    }

    test('refuses a revoked device a session, with any key and any revision', async () => {
      const one = newDevice()
      const previous = await sessionOf(service, one)
      await service.installation.devices.revoke(await holderOf(one), decision())
      const revoked = /^The device was revoked at \S+ by alice\. Ask its operator\.$/
      assertRefused(await openSession(service, one), 400, 'device-refused', revoked)
      assertRefused(await openSession(service, { ...one, previous }), 400, 'device-refused', revoked)
      const { serial } = one.serial.fields
      const key = newKey()
      for (const again of [
        { key: one.key, serial: serialAssertion({ serial, key: one.key, revision: 9 }) },
        { key, serial: serialAssertion({ serial, key, revision: 9 }) },
      ]) {
        assertRefused(await openSession(service, again), 400, 'device-refused', revoked)
      }
    })

    test('does not repeat the last answer to a device that was just revoked', async () => {
      const one = newDevice()
      const body = await sessionBody(service, one)
      const post = () => call(service, 'POST', `${AUTH}/sessions`, { body })
      assert.equal((await post()).status, 200)
      await service.installation.devices.revoke(await holderOf(one), decision())
      assertRefused(await post(), 400, 'device-refused', /revoked/)
    })

    test('a device in quarantine cannot open a session until it is released, and keeps its serial', async () => {
      const one = newDevice()
      await sessionOf(service, one)
      const device = await holderOf(one)
      await service.installation.devices.setQuarantine(device, service.now())
      assertRefused(await openSession(service, one), 400, 'device-refused', /has been in quarantine since/)
      const key = newKey()
      const serial = serialAssertion({ serial: one.serial.fields.serial, key, revision: 1 })
      assertRefused(await openSession(service, { key, serial }), 400, 'device-refused', /in quarantine/)
      await service.installation.devices.setQuarantine(device, null)
      assert.equal((await openSession(service, one)).status, 200)
    })
  })
})

// Guarantee: after the keys were lost, devices get sessions again, but not with another device's session.
eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh, { RATAFIA_UNKNOWN_SESSIONS: 'ignore' })
  test('RATAFIA_UNKNOWN_SESSIONS=ignore ignores unknown sessions, but our own must match', async () => {
    await withAcme(service.installation)
    const [key, otherKey] = (await freshDeviceKeys(2)) as [PrivateKey, PrivateKey]
    const one = { key, serial: serialAssertion({ serial: 'I-1', key }) }
    const ours = parsed(await sessionOf(service, one))
    const other = await sessionOf(service, {
      key: otherKey,
      serial: serialAssertion({ serial: 'I-2', key: otherKey }),
    })
    const lost = mint({ rootKey: Buffer.alloc(32, 1), id: Buffer.from('lost'), location: 'us' })
    const forged = mint({ rootKey: Buffer.alloc(32, 1), id: ours.id, location: 'us' })
    for (const previous of [printed(lost), printed(forged), '***']) {
      assert.equal((await openSession(service, { ...one, previous })).status, 200)
    }
    service.advance(MINUTE)
    for (const [previous, message] of [
      [other, /another device/],
      [printed(addFirstPartyCaveat(ours, 'may fly')), /an unknown caveat/],
      [
        printed(addThirdPartyCaveat(ours, { rootKey: lost.signature, id: lost.id, location: 'x' })),
        /discharge/,
      ],
    ] as const) {
      assertRefused(await openSession(service, { ...one, previous }), 401, 'invalid-device-session', message)
    }
  })
})
