/** Clone evidence is counted, and bounded by kind, on both databases. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { eachDatabase } from '../../../test/support/databases.ts'
import type { Database } from '../../database/index.ts'
import { deviceStore } from '../device-store.ts'
import { newDevice } from '../new-device.ts'
import { type CloneStore, cloneStore, EVIDENCE_LIMIT } from './clone-store.ts'

eachDatabase((_kind, open) => {
  let database: Database
  let clones: CloneStore
  let serials = 0
  before(async () => {
    database = await open()
    clones = cloneStore(database)
  })

  const addDevice = async () => {
    const name = { brandId: 'acme-brand', model: 'acme-classic', serial: `S${++serials}` }
    const own = { deviceKeyId: `key-${serials}`, revision: 0, registeredAt: new Date() }
    const device = newDevice({ ...name, ...own, status: 'active', origin: 'session' })
    await deviceStore(database).add(device)
    return device
  }

  test('a repeated sighting is counted, with its first and last time and the newest details', async () => {
    const device = await addDevice()
    const of = { deviceId: device.id, bucket: device.bucket }
    const [first, last] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')]
    const sighting = { ...of, kind: 'two-chains', subject: 'chain' } as const
    assert.equal(await clones.record({ ...sighting, details: { address: '::1' }, at: first }), true)
    assert.equal(await clones.record({ ...sighting, details: { address: '::2' }, at: last }), true)
    assert.deepEqual(await clones.evidenceOf(device), [
      { ...sighting, details: { address: '::2' }, firstSeenAt: first, lastSeenAt: last, times: 2 },
    ])
    assert.deepEqual(await clones.evidenceOf(await addDevice()), [])
  })

  // Guarantee: clients that can only request the serial can't keep evidence about the holders of its key from
  // being stored.
  test('a device has a bounded number of rows of each kind, which still count when full', async () => {
    const device = await addDevice()
    const of = { deviceId: device.id, bucket: device.bucket }
    const record = (kind: 'second-key' | 'two-chains', subject: string) =>
      clones.record({ ...of, kind, subject, details: {}, at: new Date() })
    for (let i = 0; i < EVIDENCE_LIMIT; i++) assert.equal(await record('second-key', `key-${i}`), true)
    assert.equal(await record('second-key', 'one-more'), false)
    assert.equal(await record('second-key', 'key-0'), true)
    assert.equal(await record('two-chains', 'chain'), true)
    const rows = await clones.evidenceOf(device)
    assert.equal(rows.length, EVIDENCE_LIMIT + 1)
    assert.equal(rows.find(({ subject }) => subject === 'key-0')?.times, 2)
  })

  test('fifty concurrent sightings become one row that counts fifty', async () => {
    const device = await addDevice()
    const of = { deviceId: device.id, bucket: device.bucket }
    const sighting = { ...of, kind: 'second-key', subject: 'key', details: {}, at: new Date() } as const
    await Promise.all(Array.from({ length: 50 }, () => clones.record(sighting)))
    const [row, ...more] = await clones.evidenceOf(device)
    assert.deepEqual([row?.times, more.length], [50, 0])
  })
})
