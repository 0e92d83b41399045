/** Tests what is removed over time, and that nothing becomes valid again because of it, on every database. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { jobsOf } from '../../src/start/service/jobs.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { createTelemetry } from '../../src/telemetry/telemetry.ts'
import { revokeToken } from '../../src/tokens/revoke.ts'
import { byOperator } from '../support/changes.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  ACME,
  freshDeviceKeys,
  getNonce,
  getRequestId,
  openSession,
  register,
  registered,
  sessionBody,
  setAcmePolicy,
  withAcme,
} from '../support/devices.ts'
import {
  addPerson,
  bearing,
  call,
  dischargeFor,
  exchangeSlice,
  getRoot,
  presenting,
  refusalOf,
  testService,
} from '../support/service.ts'

const DAY = 86_400_000

eachDatabase((_kind, _open, fresh) => {
  // Device sessions expire before their nonces do, so that only time keeps a nonce from working twice.
  const service = testService(fresh, {
    RATAFIA_TOKEN_LIFETIME: '10d',
    RATAFIA_DEVICE_SESSION_LIFETIME: '60s',
  })
  before(() => withAcme({ ...service.installation, clock: () => new Date() }))
  const inDays = (days: number) => new Date(service.now().getTime() + days * DAY)
  const rows = async (table: 'token_session' | 'device_session' | 'device_registration' | 'clone_evidence') =>
    (await service.installation.database.query.selectFrom(table).selectAll().execute()).length

  test('removes a token session long after its expiry; its token and root stay invalid', async () => {
    const { tokenSessions } = service.installation
    const person = await addPerson(service)
    const slice = await dischargeFor(service, await getRoot(service), person, ({ id }) => [
      `declared userid ${id}`,
    ])
    const token = await exchangeSlice(service, slice)
    const [session] = await tokenSessions.list({ accountId: person.id, limit: 1 })
    assert.ok(session)
    await revokeToken(
      { sessionId: session.id, by: 'operator' },
      { ...service.installation, change: byOperator(service.installation) },
    )
    const count = await rows('token_session')
    assert.equal(await tokenSessions.removeEnded(inDays(9), 500), 0)
    assert.equal(await tokenSessions.removeEnded(inDays(11), 500), 1)
    assert.equal(await rows('token_session'), count - 1)
    // Not a day too early: while the token could be valid, only the row shows that it is revoked.
    service.advance(11 * DAY)
    for (const headers of [bearing(token), presenting(slice)]) {
      const whoami = refusalOf(await call(service, 'GET', '/api/v2/tokens/whoami', { headers }))
      assert.equal(whoami.status, 401)
    }
    const again = await call(service, 'POST', '/api/v2/tokens/exchange', {
      headers: presenting(slice),
      body: {},
    })
    assert.equal(refusalOf(again).status, 401)
    assert.equal(await rows('token_session'), count - 1, 'no session is created again')
  })

  test('a revoked root stays revoked on a node whose clock is hours behind the one that removes rows', async () => {
    const { installation } = service
    const person = await addPerson(service)
    const root = await getRoot(service, { expires: new Date(service.now().getTime() + 60_000).toISOString() })
    const slice = await dischargeFor(service, root, person)
    await exchangeSlice(service, slice)
    const [session] = await installation.tokenSessions.list({ accountId: person.id, limit: 1 })
    assert.ok(session)
    await revokeToken(
      { sessionId: session.id, by: 'operator' },
      { ...installation, change: byOperator(installation) },
    )
    const config = {
      ...installation.config,
      retention: { ...installation.config.retention, tokenSessions: 3_600_000 },
    }
    const log = createLog({ level: 'silent', pretty: false })
    const ahead = { ...installation, config, clock: () => new Date(service.now().getTime() + 5 * 3_600_000) }
    const telemetry = await createTelemetry({ log, release: 'test', tracing: undefined, metrics: false })
    const retention = jobsOf(ahead, log, telemetry).find(({ name }) => name === 'retention')
    await retention?.run(async () => true)
    const again = await call(service, 'POST', '/api/v2/tokens/exchange', {
      headers: presenting(slice),
      body: {},
    })
    assert.match(refusalOf(again).message, /was revoked at/)
  })

  test('removes a device session after its expiry, when its nonce has expired as well', async () => {
    const { deviceSessions } = service.installation
    const [key] = await freshDeviceKeys(1)
    assert.ok(key)
    const serial = await registered(service, { key })
    const body = await sessionBody(service, { serial, key, nonce: await getNonce(service) })
    const open = () => call(service, 'POST', '/api/v1/snaps/auth/sessions', { body })
    assert.equal((await open()).status, 200)
    service.advance(3_600_000 + 61_000)
    assert.equal(await deviceSessions.removeExpired(new Date(service.now().getTime() - 3_600_000), 500), 1)
    assert.match(refusalOf(await open()).message, /^The nonce has expired/)
  })

  test('removes the origin of a registration once it is decided; a late repetition starts over', async () => {
    const { registrations } = service.installation
    await setAcmePolicy(service.installation, { registration: 'approval' })
    const [waits, done] = await freshDeviceKeys(2)
    assert.ok(waits && done)
    const waiting = { key: waits, serial: 'W', requestId: await getRequestId(service) }
    assert.equal((await register(service, waiting)).status, 202)
    await setAcmePolicy(service.installation, { registration: 'auto' })
    const settled = { key: done, serial: 'S', requestId: await getRequestId(service) }
    const first = await registered(service, settled)
    service.advance(20 * DAY)
    const count = await rows('device_registration')
    const removed = await registrations.removeSettled(inDays(-10), 500)
    assert.equal(await rows('device_registration'), count - removed)
    assert.equal((await register(service, waiting)).status, 202, 'a waiting device can ask as before')
    const late = await register(service, settled)
    assert.match(refusalOf(late).message, /^The request-id has expired/)
    const anew = await registered(service, { key: done, serial: 'S' })
    assert.deepEqual([anew.fields.serial, anew.revision], [first.fields.serial, first.revision])
    assert.equal(await registrations.removeSettled(inDays(-10), 500), 0)
  })

  test('removes old evidence of clones, but not that of a device in quarantine', async () => {
    const { clones, devices } = service.installation
    const holder = await devices.findHolder({ ...ACME, serial: 'S' })
    assert.ok(holder)
    const of = { deviceId: holder.id, bucket: holder.bucket }
    const sighting = { ...of, kind: 'second-chain', details: {}, at: service.now() } as const
    for (const subject of ['a', 'b', 'c']) await clones.record({ ...sighting, subject })
    await devices.setQuarantine(holder, service.now())
    assert.equal(await clones.removeOld(inDays(1), 500), 0)
    await devices.setQuarantine(holder, null)
    assert.equal(await clones.removeOld(inDays(-1), 500), 0)
    assert.equal(await clones.removeOld(inDays(1), 2), 2)
    assert.equal(await clones.removeOld(inDays(1), 2), 1)
    assert.equal(await rows('clone_evidence'), 0)
  })

  test('removes at most a batch at a time, oldest first', async () => {
    const { deviceSessions, devices } = service.installation
    const [key] = await freshDeviceKeys(1)
    assert.ok(key)
    const serial = await registered(service, { key })
    for (let index = 0; index < 5; index++) {
      assert.equal((await openSession(service, { serial, key })).status, 200)
      service.advance(60_000)
    }
    assert.equal(await deviceSessions.removeExpired(inDays(1), 3), 3)
    const left = await deviceSessions.ofDevice(
      (await devices.findByKey({ ...ACME, deviceKeyId: key.publicKey.id })) ?? assert.fail(),
      9,
    )
    assert.equal(left.length, 2)
    assert.equal(await deviceSessions.removeExpired(inDays(1), 3), 2)
    assert.equal(await deviceSessions.removeExpired(inDays(1), 3), 0)
  })
})
