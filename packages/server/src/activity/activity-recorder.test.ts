import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceId } from '@ratafia/api'
import { eventually } from '../../test/support/eventually.ts'
import type { SeenDevice } from '../devices/activity/device-activity.ts'
import { activityRecorder } from './activity-recorder.ts'

const NEVER = 1_000_000_000

const device = (name: string, minute = 0): SeenDevice => ({
  ...{ id: name as DeviceId, bucket: 0, at: new Date(minute * 60_000), address: '::1' },
})

function recording({ most = 100, fails = () => false }: { most?: number; fails?: () => boolean } = {}) {
  const batches: string[][] = []
  const errors: unknown[] = []
  const forgotten: number[] = []
  const recorder = activityRecorder<SeenDevice>({
    activities: {
      async saw(seen) {
        if (fails()) throw new Error('away')
        batches.push(seen.map(({ id, at }) => `${id} ${at.getTime() / 60_000}`))
      },
    },
    onError: (error) => errors.push(error),
    onForgotten: (devices) => forgotten.push(devices),
    everyMs: NEVER,
    most,
  })
  return { recorder, batches, errors, forgotten }
}

test('stores each device once, with the latest time, in the order of their ids', async () => {
  const { recorder, batches } = recording()
  for (const one of [device('b', 2), device('a', 1), device('b', 1)]) recorder.saw(one)
  await recorder.flush()
  await recorder.flush()
  assert.deepEqual(batches, [['a 1', 'b 2']])
  await recorder.stop()
})

test('stores a thousand devices per statement', async () => {
  const { recorder, batches } = recording({ most: 5000 })
  for (let i = 0; i < 2500; i++) recorder.saw(device(String(i).padStart(4, '0')))
  await recorder.stop()
  assert.deepEqual(
    batches.map(({ length }) => length),
    [1000, 1000, 500],
  )
})

test('retries a device that was not stored, unless it was seen again meanwhile', async () => {
  let away = true
  const { recorder, batches, errors } = recording({ fails: () => away })
  recorder.saw(device('a', 1))
  recorder.saw(device('b', 1))
  const flushing = recorder.flush()
  recorder.saw(device('b', 2))
  await flushing
  assert.deepEqual([batches.length, errors.length], [0, 1])
  away = false
  await recorder.stop()
  assert.deepEqual(batches, [['a 1', 'b 2']])
})

test('bounds its memory: drops and reports further devices, and keeps updating the ones it has', async () => {
  const { recorder, batches, forgotten } = recording({ most: 2 })
  for (const one of [device('a', 1), device('b', 1), device('c', 1), device('a', 2)]) recorder.saw(one)
  await recorder.stop()
  assert.deepEqual([batches, forgotten], [[['a 2', 'b 1']], [1]])
})

test('stopping stores devices that were seen while it was storing', async () => {
  const { recorder, batches } = recording()
  recorder.saw(device('a'))
  const flushing = recorder.flush()
  recorder.saw(device('b'))
  await recorder.stop()
  await flushing
  assert.deepEqual(batches, [['a 0'], ['b 0']])
})

test('stores devices by itself after some time', async () => {
  const batches: number[] = []
  const recorder = activityRecorder<SeenDevice>({
    activities: { saw: async ({ length }) => void batches.push(length) },
    onError: () => {},
    onForgotten: () => {},
    everyMs: 5,
  })
  recorder.saw(device('a'))
  await eventually('it is stored', () => batches.length > 0)
  await recorder.stop()
  assert.deepEqual(batches, [1])
})
