/** Tests the counts of devices: from the last count, and only for brands that the caller can see. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { DeviceId } from '@ratafia/api'
import { bucketOf } from '../../src/bucket.ts'
import { recountDevices } from '../../src/devices/counts/recount.ts'
import { DEVICE_STATUSES, type Device } from '../../src/devices/device.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import { eachDatabase } from '../support/databases.ts'
import { manage, managerToken } from '../support/managers.ts'
import { addDevices } from '../support/register.ts'
import { testService } from '../support/service.ts'

const BRANDS = ['acme', 'best', 'cook']

const register: readonly Device[] = Array.from({ length: 211 }, (_, index) => {
  const deviceKeyId = Buffer.alloc(48, index).toString('base64url')
  const status = DEVICE_STATUSES[(index * index) % 5] ?? 'active'
  return {
    ...newDevice({
      ...{ brandId: BRANDS[index % 3] ?? '', model: `m${index % 4}`, deviceKeyId, origin: 'import' as const },
      ...{ original: null, registeredAt: new Date(0) },
    }),
    id: `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}` as DeviceId,
    bucket: bucketOf(deviceKeyId),
    ...{ status, serial: `S-${index}`, quarantinedAt: index % 10 === 0 ? new Date(1) : null },
  }
})

function countsOf(devices: readonly Device[]) {
  const groups = Map.groupBy(devices, ({ brandId, model, status }) => `${brandId}/${model}/${status}`)
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, { length }]) => {
      const [brand_id, model, status] = kind.split('/')
      return { brand_id, model, status, devices: length }
    })
}

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let operator: string
  let viewer: string

  before(async () => {
    operator = await managerToken(service, 'operator')
    viewer = await managerToken(service, 'viewer best')
  })
  const add = (devices: readonly Device[]) => addDevices(service, devices)
  const counts = async (token: string, query = '') => {
    const { status, body } = await manage(service, token, 'GET', '/devices/counts', { query })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const recount = (rows: number, goOn = async () => true) =>
    recountDevices({ ...service.installation, goOn, rows })

  test('before the first count only waiting devices are counted', async () => {
    await add(register.slice(0, 100))
    const body = await counts(operator)
    assert.deepEqual([body.counted_at, body.devices, body.counts], [null, 0, []])
    const waiting = register.slice(0, 100).filter(({ status }) => status === 'pending').length
    assert.deepEqual(body.waiting, { devices: waiting, more: false })
    assert.deepEqual(body.quarantined, { devices: 10, more: false })
  })

  test('counts by brand, model and status in parts of any size, and drops counts of what no longer exists', async () => {
    for (const rows of [1, 7, 1000]) {
      await recount(rows)
      assert.deepEqual((await counts(operator)).counts, countsOf(register.slice(0, 100)), `${rows}`)
    }
    await add(register.slice(100))
    const { query } = service.installation.database
    await query.deleteFrom('device').where('model', '=', 'm2').execute()
    assert.deepEqual((await counts(operator)).counts, countsOf(register.slice(0, 100)), 'not counted again')
    await recount(50, async () => false)
    assert.deepEqual((await counts(operator)).counts, countsOf(register.slice(0, 100)), 'stopped half way')
    service.advance(60_000)
    await recount(50)
    const left = register.filter(({ model }) => model !== 'm2')
    const body = await counts(operator)
    assert.deepEqual([body.counts, body.devices], [countsOf(left), left.length])
    assert.ok(Math.abs(Date.parse(body.counted_at) - service.now().getTime()) < 60_000)
  })

  test('Guarantee: does not count devices of brands that the caller cannot see', async () => {
    const own = register.filter(({ brandId, model }) => brandId === 'best' && model !== 'm2')
    for (const query of ['', '?brand=best', '?brand=best&brand=acme']) {
      const body = await counts(viewer, query)
      assert.deepEqual([body.counts, body.devices], [countsOf(own), own.length])
      const waiting = own.filter(({ status }) => status === 'pending').length
      const quarantined = own.filter(({ quarantinedAt }) => quarantinedAt).length
      assert.deepEqual([body.waiting.devices, body.quarantined.devices], [waiting, quarantined])
    }
    const nothing = await counts(viewer, '?brand=acme')
    assert.deepEqual(nothing, await counts(viewer, '?brand=unknown'))
    assert.deepEqual([nothing.counted_at, nothing.devices], [(await counts(viewer)).counted_at, 0])
  })
})
