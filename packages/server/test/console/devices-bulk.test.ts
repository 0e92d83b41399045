/** Decisions about many devices in the console: the preview, and the job. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Device } from '../../src/devices/device.ts'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'
import {
  type ConsoleBrowser,
  consoleAs,
  consoleOf,
  signedInAgo,
  textOf,
  unescaped,
} from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import { addAcmeModel, freshDeviceKeys, register, withAcme } from '../support/devices.ts'
import { addManager } from '../support/managers.ts'
import { addDevices } from '../support/register.ts'
import { testService } from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let manager: ConsoleBrowser
  before(async () => {
    await withAcme({ ...service.installation, clock: service.now })
    manager = await consoleAs(service, 'brand-manager acme-brand')
  })
  const run = () => runJobs(async () => true, service.installation)
  const statusesOf = async (devices: readonly Device[]) =>
    Promise.all(devices.map(async ({ id }) => (await service.installation.devices.findById(id))?.status))
  const jobs = async () =>
    (await service.installation.audit.list({ action: 'job.add' }, { limit: 100 })).length
  let models = 0
  const fleet = (count: number, known: Partial<Device> = {}) => {
    const model = `bulk-${++models}`
    return addDevices(
      service,
      Array.from({ length: count }, (_, index) => ({ model, serial: `B${models}-${index}`, ...known })),
    )
  }
  const idsOf = (devices: readonly Device[]) => devices.map(({ id }) => `id=${id}`).join('&')

  test('approves pending devices by a filter after the user has typed their number', async () => {
    const model = 'bulk-waits'
    const modelText = await addAcmeModel(service.installation, model, {
      policy: { registration: 'approval' },
    })
    const keys = await freshDeviceKeys(3)
    for (const [index, key] of keys.entries()) {
      // Two of them propose the same serial.
      const serial = `N-${Math.min(index, 1)}`
      assert.equal((await register(service, { key, model, modelText, serial })).status, 202)
    }
    const list = await manager.get(`/console/devices?model=acme-brand%2F${model}&status=pending`)
    const [, address = ''] = /href="([^"]*bulk\?do=approve[^"]*)"/.exec(list.text) ?? []
    const path = unescaped(address)
    const page = await manager.get(path)
    assert.equal(page.status, 200)
    assert.match(
      textOf(page),
      /Approve 3 devices\? Nothing has been changed yet\. All that match: model: acme-brand\/bulk-waits status: pending 2 devices would get a serial 1 would be refused First 3: N-0 .*wants the same serial number.*Type 3 to confirm/,
    )
    const before = await jobs()
    const wrong = await manager.submit(page, path, { typed: '2' })
    assert.equal(wrong.status, 422)
    assert.match(textOf(wrong), /Type exactly 3\. Nothing was changed\./)
    assert.equal(await jobs(), before)
    const done = await manager.submit(wrong, path, { typed: '3' })
    assert.match(done.location ?? '', /^\/console\/jobs\/[0-9a-f-]{36}$/)
    await run()
    const devices = await service.installation.devices.list({ brandId: 'acme-brand', model, limit: 10 })
    assert.deepEqual(devices.map(({ status }) => status).sort(), ['active', 'active', 'pending'])
  })

  test('Guarantee: a form that is sent twice creates one job', async () => {
    const devices = await fleet(2, { status: 'pending' })
    const path = `/console/devices/bulk?do=reject&${idsOf(devices)}`
    const page = await manager.get(path)
    const before = await jobs()
    const once = await manager.submit(page, path, { reason: 'no' })
    const again = await manager.submit(page, path, { reason: 'no' })
    assert.deepEqual([again.status, again.location], [303, once.location])
    assert.equal(await jobs(), before + 1)
    await run()
    assert.deepEqual(await statusesOf(devices), ['rejected', 'rejected'])
  })

  test('rejects selected devices with a reason, and without a typed number', async () => {
    const devices = await fleet(2, { status: 'pending' })
    const path = `/console/devices/bulk?${idsOf(devices)}&do=reject`
    const page = await manager.get(path)
    assert.match(textOf(page), /2 selected\. 2 devices would be rejected/)
    assert.doesNotMatch(page.text, /name="typed"/)
    for (const reason of ['', 'x'.repeat(201)]) {
      const refused = await manager.submit(page, path, { reason })
      assert.equal(refused.status, 422)
      assert.match(refused.text, /href="#f-reason"/)
    }
    assert.equal((await manager.submit(page, path, { reason: '<b>no</b>' })).status, 303)
    await run()
    assert.deepEqual(await statusesOf(devices), ['rejected', 'rejected'])
  })

  test('Guarantee: a filter is refused if it no longer selects the same number of devices', async () => {
    const devices = await fleet(3)
    const [{ model } = { model: '' }] = devices
    const path = `/console/devices/bulk?do=revoke&model=acme-brand%2F${model}`
    const page = await manager.get(path)
    await addDevices(service, [{ model, serial: 'one-more' }])
    const refused = await manager.submit(page, path, { typed: '3' })
    assert.equal(refused.status, 422)
    assert.match(textOf(refused), /selected 3 devices when you looked, and selects 4 now.*Type 4 to confirm/)
    assert.deepEqual(await statusesOf(devices), ['active', 'active', 'active'])
    const done = await manager.submit(refused, path, { typed: '4', reason: 'recalled' })
    assert.equal(done.status, 303, textOf(done))
    await run()
    assert.deepEqual(await statusesOf(devices), ['revoked', 'revoked', 'revoked'])
  })

  test('a revocation also requires the number for selected devices, and a sign-in of the last 15 minutes', async () => {
    const devices = await fleet(2)
    const path = `/console/devices/bulk?do=revoke&${idsOf(devices)}`
    const page = await manager.get(path)
    assert.match(textOf(page), /cannot be undone.*Type 2 to confirm/)
    assert.equal((await manager.submit(page, path, { typed: '' })).status, 422)
    const old = await consoleOf(
      service,
      await addManager(service, 'brand-manager acme-brand'),
      signedInAgo(service, 16 * 60_000),
    )
    const asked = await old.get(path)
    assert.equal(asked.status, 303)
    assert.match(asked.location ?? '', /^\/console\/sign-in/)
    assert.deepEqual(await statusesOf(devices), ['active', 'active'])
  })

  test('releases quarantined devices', async () => {
    const devices = await fleet(2, { quarantinedAt: service.now() })
    const path = `/console/devices/bulk?do=release&${idsOf(devices)}`
    assert.equal((await manager.fill(path)).status, 303)
    await run()
    const [{ id } = assert.fail()] = devices
    assert.equal((await service.installation.devices.findById(id))?.quarantinedAt, null)
  })

  test('refuses a URL without devices or without an action', async () => {
    for (const query of [
      '',
      'do=approve',
      'do=destroy&status=pending',
      'do=approve&color=red',
      'do=approve&id=x',
    ])
      assert.equal((await manager.get(`/console/devices/bulk?${query}`)).status, 400, query)
    const none = await manager.get('/console/devices/bulk?do=approve&model=acme-brand%2Fnothing')
    assert.equal(none.status, 200)
    assert.match(textOf(none), /No devices match any more\./)
    assert.doesNotMatch(none.text, /<form[^>]*bulk/)
  })

  test('Guarantee: deciding requires a role for the brand', async () => {
    const devices = await fleet(1, { status: 'pending' })
    const path = `/console/devices/bulk?do=reject&${idsOf(devices)}`
    const stranger = await consoleAs(service, 'brand-manager other-brand')
    const page = await stranger.get(path)
    assert.match(textOf(page), /1 would be refused/)
    assert.doesNotMatch(page.text, new RegExp(devices[0]?.serial ?? '-'))
    assert.deepEqual(await statusesOf(devices), ['pending'])
  })
})
