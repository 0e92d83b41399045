import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { DeviceId } from '@ratafia/api'
import { eachDatabase } from '../../../test/support/databases.ts'
import type { Database } from '../../database/index.ts'
import { cloneStore } from '../clones/clone-store.ts'
import type { Device } from '../device.ts'
import { deviceStore } from '../device-store.ts'
import { newDevice } from '../new-device.ts'
import { removalStore } from '../removal/removal-store.ts'
import { type ActivityStore, activityStore } from './activity-store.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))

eachDatabase((_kind, open) => {
  let database: Database
  let activities: ActivityStore
  let made = 0
  before(async () => {
    database = await open()
    activities = activityStore(database)
  })

  const addDevice = async (status: Device['status'] = 'active'): Promise<Device> => {
    const index = ++made
    const device = {
      ...newDevice({
        brandId: 'acme',
        model: 'mini',
        deviceKeyId: Buffer.alloc(48, index).toString('base64url'),
        origin: 'registration',
        original: null,
        registeredAt: at(0),
      }),
      status,
      serial: `S-${index}`,
    }
    const waits = status === 'pending' ? Buffer.from('request') : undefined
    assert.ok(await deviceStore(database).add(device, waits))
    return device
  }
  const activityOf = async ({ id }: Device) => (await activities.of([id])).get(id)
  const seen = ({ id, bucket }: Device, minute: number, address = '192.0.2.1') => ({
    id,
    bucket,
    at: at(minute),
    address,
  })

  describe('sightings of devices', () => {
    test('keep the latest time, in whatever order they arrive', async () => {
      const [one, two] = [await addDevice(), await addDevice()]
      await activities.saw([seen(one, 5), seen(two, 6, '2001:db8::1')])
      await activities.saw([seen(one, 4, '192.0.2.4'), seen(two, 7, 'unknown')])
      assert.deepEqual(await activityOf(one), {
        lastSeenAt: at(5),
        lastAddress: '192.0.2.1',
        evidenceAt: null,
      })
      assert.deepEqual(await activityOf(two), { lastSeenAt: at(7), lastAddress: 'unknown', evidenceAt: null })
      const keys = await database.query
        .selectFrom('device_activity')
        .select(['address_key', 'brand_id'])
        .where('device_id', 'in', [one.id, two.id])
        .orderBy('last_seen_at')
        .execute()
      assert.deepEqual(keys, [
        { address_key: '00000000000000000000ffffc0000201', brand_id: 'acme' },
        { address_key: null, brand_id: 'acme' },
      ])
    })

    test('are skipped for removed and revoked devices, and stored for the others', async () => {
      const [gone, ended, there] = [await addDevice('pending'), await addDevice('revoked'), await addDevice()]
      const guard = { guardedSince: at(0) }
      await database.query.transaction().execute(async (query) => {
        assert.ok(await removalStore({ query }).remove(gone, guard))
      })
      await activities.saw([seen(gone, 1), seen(ended, 1), seen(there, 1)])
      assert.deepEqual([await activityOf(gone), await activityOf(ended)], [undefined, undefined])
      assert.deepEqual((await activityOf(there))?.lastSeenAt, at(1))
    })

    test('are removed with the device, and with its personal data', async () => {
      const [pending, revoked] = [await addDevice('pending'), await addDevice()]
      await activities.saw([seen(pending, 1), seen(revoked, 1)])
      await database.query
        .updateTable('device')
        .set({ status: 'revoked' })
        .where('id', '=', revoked.id)
        .execute()
      await database.query.transaction().execute(async (query) => {
        const removals = removalStore({ query })
        assert.ok(await removals.remove(pending, { guardedSince: at(0) }))
        assert.ok(await removals.clear(revoked, { at: at(2), by: 'operator', guardedSince: at(0) }))
      })
      assert.equal((await activities.of([pending.id, revoked.id])).size, 0)
      await activities.saw([seen(revoked, 3)])
      assert.equal(await activityOf(revoked), undefined)
    })

    test('can be stored a thousand at once, by two callers at the same moment', async () => {
      const devices: Device[] = []
      for (let i = 0; i < 20; i++) devices.push(await addDevice())
      const unknown = Array.from({ length: 980 }, (_, index) => ({
        ...{ id: `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}` as DeviceId, bucket: 1 },
        ...{ at: at(1), address: '::1' },
      }))
      const all = [...devices.map((device) => seen(device, 1)), ...unknown]
      await Promise.all([activities.saw(all), activities.saw(all.toReversed())])
      assert.equal((await activities.of(devices.map(({ id }) => id))).size, 20)
    })
  })

  describe('evidence of a clone', () => {
    const sighting = ({ id, bucket }: Device, minute: number, subject = 'key') => ({
      ...{ deviceId: id, bucket, kind: 'second-key' as const, subject, details: {}, at: at(minute) },
    })

    test('marks its device with the newest time, and keeps the last sighting', async () => {
      const device = await addDevice()
      const clones = cloneStore(database)
      await clones.record(sighting(device, 5))
      await clones.record(sighting(device, 3, 'other'))
      assert.deepEqual(await activityOf(device), { lastSeenAt: null, lastAddress: null, evidenceAt: at(5) })
      await activities.saw([seen(device, 4)])
      await clones.record(sighting(device, 6))
      const { lastSeenAt, evidenceAt } = (await activityOf(device)) ?? {}
      assert.deepEqual([lastSeenAt, evidenceAt], [at(4), at(6)])
    })

    test('marks its device until the last evidence is removed', async () => {
      const device = await addDevice()
      const clones = cloneStore(database)
      await clones.record(sighting(device, 10, 'a'))
      await clones.record(sighting(device, 12, 'b'))
      await clones.removeOld(at(11), 500)
      assert.deepEqual((await activityOf(device))?.evidenceAt, at(12))
      await clones.removeOld(at(13), 500)
      assert.equal((await activityOf(device))?.evidenceAt, null)
    })
  })
})
