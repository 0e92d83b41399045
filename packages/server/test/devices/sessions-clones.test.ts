/** Evidence in sessions of a second holder of a device key, on both databases. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { eachDatabase } from '../support/databases.ts'
import {
  AUTH,
  openSession,
  presentingSession,
  sessionBody,
  sessionOf,
  setAcmePolicy,
} from '../support/devices.ts'
import { acmeWithDevices } from '../support/own-devices.ts'
import { call, refusalOf, testService } from '../support/service.ts'

const MINUTE = 60_000
const DAY = 86_400_000

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const { newDevice, holderOf } = acmeWithDevices(service, 'K', 16)

  /** Returns a device with its first session. */
  const device = async () => {
    const { key, serial } = newDevice()
    const open = (previous?: string) => sessionOf(service, { key, serial, ...(previous ? { previous } : {}) })
    const first = await open()
    const of = await holderOf({ serial })
    const tryOpen = (previous?: string) =>
      openSession(service, { key, serial, ...(previous ? { previous } : {}) })
    const evidence = async () =>
      (await service.installation.clones.evidenceOf(of)).map(({ kind, times }) => `${kind} ${times}`).sort()
    const chains = async () =>
      new Set((await service.installation.deviceSessions.ofDevice(of, 100)).map(({ chainId }) => chainId))
        .size
    return { of, key, serial, first, open, tryOpen, evidence, chains }
  }

  describe('recorded evidence', () => {
    test('is empty for a device that keeps refreshing', async () => {
      const { first, open, evidence, chains } = await device()
      let session = first
      for (let i = 0; i < 4; i++) {
        service.advance(DAY + MINUTE)
        session = await open(session)
      }
      assert.deepEqual(await evidence(), [])
      assert.equal(await chains(), 1)
    })

    test('is empty after a lost answer, or two threads that refresh alternately', async () => {
      const { first, open, evidence } = await device()
      await open(first)
      service.advance(9 * MINUTE)
      await open(first)
      assert.deepEqual(await evidence(), [])
    })

    test('is empty for a new chain when every session has expired', async () => {
      const { open, evidence, chains } = await device()
      service.advance(DAY)
      await open()
      assert.deepEqual(await evidence(), [])
      assert.equal(await chains(), 2)
    })

    test('is second-chain for a new chain while another has an unexpired session', async () => {
      const { of, open, evidence } = await device()
      await open()
      assert.deepEqual(await evidence(), ['second-chain 1'])
      const [{ details, subject, firstSeenAt } = assert.fail()] =
        await service.installation.clones.evidenceOf(of)
      const sessions = await service.installation.deviceSessions.ofDevice(of, 100)
      assert.equal(subject, sessions.at(-1)?.chainId)
      assert.equal(details['other-session'], sessions.at(-1)?.id)
      assert.match(`${details['address']} ${details['other-address']}`, /^127\.0\.0\.1 127\.0\.0\.1$/)
      assert.ok(firstSeenAt.getTime() <= service.now().getTime())
    })

    // They can be stored together, and each still counts.
    test('is second-chain for each of eight sessions opened at once', async () => {
      const { of, open, chains } = await device()
      await Promise.all(Array.from({ length: 8 }, () => open()))
      const rows = await service.installation.clones.evidenceOf(of)
      assert.ok(rows.every(({ kind }) => kind === 'second-chain'))
      assert.equal(
        rows.reduce((sum, { times }) => sum + times, 0),
        8,
      )
      assert.equal(await chains(), 9)
    })

    test('is forked-chain if an old session is refreshed ten minutes after its chain continued', async () => {
      const { first, open, evidence, chains } = await device()
      const second = await open(first)
      service.advance(10 * MINUTE + 1000)
      await open(first)
      assert.deepEqual(await evidence(), ['forked-chain 1'])
      service.advance(11 * MINUTE)
      await open(second)
      assert.deepEqual(await evidence(), ['forked-chain 2'])
      assert.equal(await chains(), 1)
    })

    test('is two-chains if an older chain continues after a newer one began, and each switch counts once', async () => {
      const { first, open, evidence } = await device()
      service.advance(DAY)
      const other = await open()
      const again = await open(first)
      assert.deepEqual(await evidence(), ['two-chains 1'])
      const third = await open(again)
      assert.deepEqual(await evidence(), ['two-chains 1'], 'the newer chain did nothing since')
      await open(other)
      await open(third)
      assert.deepEqual(await evidence(), ['two-chains 2'])
    })

    // Guarantee: a repeated request is not a clone.
    test('is empty after the same request twenty times at once', async () => {
      const { key, serial, first, evidence } = await device()
      const body = await sessionBody(service, { key, serial })
      const headers = presentingSession(first)
      const post = () => call(service, 'POST', `${AUTH}/sessions`, { body, headers })
      const answers = await Promise.all(Array.from({ length: 20 }, post))
      assert.equal(new Set(answers.map((answer) => answer.body.macaroon)).size, 1)
      assert.deepEqual(await evidence(), [])
    })

    test('is empty after a refused request', async () => {
      const { key, serial, evidence } = await device()
      const body = await sessionBody(service, { key, serial })
      const bad = { ...body, 'serial-assertion': body['serial-assertion']?.replace('2021-', '2022-') }
      assert.equal((await call(service, 'POST', `${AUTH}/sessions`, { body: bad })).status, 400)
      assert.deepEqual(await evidence(), [])
    })
  })

  describe('with --clones quarantine', () => {
    before(() => setAcmePolicy(service.installation, { quarantineClones: true }))
    const verify = async (session: string) =>
      (await call(service, 'GET', '/device-session', { headers: presentingSession(session) })).status

    // Guarantee: once two devices are known to have a key, neither has a session.
    test('two-chains refuses this request, stops the sessions of both, and does not use up the nonce', async () => {
      const { of, key, serial, first, open, tryOpen, evidence } = await device()
      const other = await open()
      assert.equal(await verify(first), 200)
      const body = await sessionBody(service, { key, serial })
      const headers = presentingSession(first)
      const again = () => call(service, 'POST', `${AUTH}/sessions`, { body, headers })
      const { status, code, message } = refusalOf(await again())
      assert.deepEqual([status, code], [400, 'device-refused'])
      assert.match(
        message,
        /^The device has been in quarantine since \S+Z, because two devices seem to use its key\./,
      )
      assert.deepEqual([await verify(first), await verify(other)], [401, 401])
      assert.equal(refusalOf(await tryOpen(other)).code, 'device-refused')
      assert.deepEqual(await evidence(), ['second-chain 1', 'two-chains 1'])

      await service.installation.devices.setQuarantine(of, null)
      assert.deepEqual([await verify(first), await verify(other)], [200, 200])
      assert.equal((await again()).status, 200, 'evidence from before its release does not count')
    })

    test('a repeated request gets the same answer, although another chain has begun', async () => {
      const { key, serial, first, open, evidence } = await device()
      const body = await sessionBody(service, { key, serial })
      const headers = presentingSession(first)
      const refresh = () => call(service, 'POST', `${AUTH}/sessions`, { body, headers })
      const { macaroon } = (await refresh()).body
      await open()
      const again = await refresh()
      assert.deepEqual([again.status, again.body.macaroon], [200, macaroon])
      assert.deepEqual(await evidence(), ['second-chain 1'])
    })

    test('a released device is quarantined again as soon as the other one reappears', async () => {
      const { of, first, open, tryOpen } = await device()
      const other = await open()
      assert.equal((await tryOpen(first)).status, 400)
      await service.installation.devices.setQuarantine(of, null)
      const next = await open(first)
      const more = await open(other)
      assert.equal((await tryOpen(next)).status, 400)
      assert.equal(await verify(more), 401)
    })

    test('no other kind of evidence leads to quarantine', async () => {
      const { first, open, evidence } = await device()
      await open(first)
      service.advance(11 * MINUTE)
      await open(first)
      await open()
      assert.deepEqual(await evidence(), ['forked-chain 1', 'second-chain 1'])
    })
  })
})
