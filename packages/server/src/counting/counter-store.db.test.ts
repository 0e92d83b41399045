import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { eachDatabase } from '../../test/support/databases.ts'
import type { Database } from '../database/index.ts'
import { type CounterStore, counterStore } from './counter-store.ts'
import { foldHours } from './fold.ts'
import { DAY_MS, HOUR_MS } from './series.ts'

const START = Date.UTC(2030, 0, 10)
const hour = (number: number) => START + number * HOUR_MS

eachDatabase((_kind, open) => {
  let database: Database
  let counters: CounterStore
  beforeEach(async () => {
    database ??= await open()
    counters = counterStore(database)
    await database.query.deleteFrom('counter').execute()
  })
  const row = (at: number, n = 1, { name = 'registrations', brandId = '(all)', label = 'serial' } = {}) => ({
    ...{ name, brandId, at: hour(at), label, n },
  })
  const rows = async () =>
    (
      await database.query
        .selectFrom('counter')
        .selectAll()
        .orderBy('span')
        .orderBy('at')
        .orderBy('label')
        .execute()
    ).map(({ span, at, label, n }) => `${span} ${(Number(at) - START) / HOUR_MS} ${label} ${n}`)

  test('adds up the counts of several processes at the same moment', async () => {
    const some = Array.from({ length: 30 }, (_, at) => row(at))
    await Promise.all([counters.add(some), counters.add(some.toReversed()), counters.add(some)])
    const starts = some.map(({ at }) => new Date(at))
    const found = await counters.counts({ name: 'registrations', brandIds: ['(all)'], starts })
    assert.equal(found.length, 30)
    assert.ok(found.every(({ n }) => n === 3))
  })

  test('an hour can have more than 32 bits can hold', async () => {
    await counters.add([row(0, 3_000_000_000)])
    await counters.add([row(0, 3_000_000_000)])
    const of = { name: 'registrations', brandIds: ['(all)'], starts: [new Date(START)] }
    assert.deepEqual(await counters.counts(of), [{ bucket: 0, label: 'serial', n: 6_000_000_000 }])
  })

  test('returns the counts of the given brands in the given buckets', async () => {
    await counters.add([
      row(0),
      row(25, 2),
      row(26, 3),
      row(26, 5, { brandId: 'acme' }),
      row(26, 7, { brandId: 'zenith' }),
      row(26, 11, { brandId: 'other' }),
      row(26, 13, { label: 'waits' }),
      row(26, 17, { name: 'device-sessions' }),
    ])
    const counts = async (brandIds: readonly string[], ...hours: readonly number[]) =>
      (
        await counters.counts({
          ...{ name: 'registrations', brandIds },
          starts: hours.map((one) => new Date(hour(one))),
        })
      )
        .map(({ bucket, label, n }) => `${bucket} ${label} ${n}`)
        .sort()
    assert.deepEqual(await counts(['(all)'], 24, 25, 26), ['1 serial 2', '2 serial 3', '2 waits 13'])
    assert.deepEqual(await counts(['(all)'], 0, 24), ['0 serial 1', '1 serial 5', '1 waits 13'])
    assert.deepEqual(await counts(['(all)'], 1, 26, 27), ['0 serial 2', '1 serial 3', '1 waits 13'])
    assert.deepEqual(await counts(['acme', 'zenith'], 24), ['0 serial 12'])
    assert.deepEqual(await counts(['(all)']), [])
    assert.deepEqual(await counts([], 24), [])
  })

  describe('after 45 days', () => {
    const clock = () => new Date(hour(36) + 45 * DAY_MS)
    const fold = () => foldHours({ counters, clock, goOn: async () => true })

    test('folds hours into days and loses nothing', async () => {
      await counters.add([
        row(0, 1),
        row(23, 2),
        row(24, 4),
        row(35, 8),
        row(36, 16),
        row(24, 3, { label: 'waits' }),
      ])
      await fold()
      assert.deepEqual(await rows(), ['d 0 serial 3', 'd 24 serial 12', 'd 24 waits 3', 'h 36 serial 16'])
      // Counts of a process that slept for a long time.
      await counters.add([row(1, 5)])
      await fold()
      await fold()
      assert.deepEqual(await rows(), ['d 0 serial 8', 'd 24 serial 12', 'd 24 waits 3', 'h 36 serial 16'])
      const starts = [new Date(START), new Date(START + DAY_MS)]
      const of = { name: 'registrations', brandIds: ['(all)'], starts }
      const byDay = (await counters.counts(of)).map(({ bucket, label, n }) => `${bucket} ${label} ${n}`)
      assert.deepEqual(byDay.sort(), ['0 serial 8', '1 serial 28', '1 waits 3'])
    })

    test('two processes that fold at once count nothing twice', async () => {
      await counters.add(Array.from({ length: 24 }, (_, at) => row(at)))
      await Promise.all([fold(), fold()])
      assert.deepEqual(await rows(), ['d 0 serial 24'])
    })

    test('continues later after it was told to stop', async () => {
      await counters.add([row(0), row(1)])
      await foldHours({ counters, clock, goOn: async () => false })
      assert.deepEqual(await rows(), ['d 0 serial 1', 'h 1 serial 1'])
    })
  })

  test('removes old rows, a few at a time', async () => {
    await counters.add([row(0), row(1), row(2), row(3)])
    await counters.foldHour(new Date(hour(1)), DAY_MS)
    assert.equal(await counters.removeOld(new Date(hour(3)), 2), 2)
    assert.equal(await counters.removeOld(new Date(hour(3)), 2), 1)
    assert.equal(await counters.removeOld(new Date(hour(3)), 2), 0)
    assert.deepEqual(await rows(), ['h 3 serial 1'])
  })

  test('counts all brands after the first 200 together', async () => {
    await database.query
      .insertInto('brand')
      .values(
        Array.from({ length: 202 }, (_, index) => ({
          account_id: `brand-${String(index).padStart(3, '0')}`,
          display_name: 'Brand',
          added_at: index,
        })),
      )
      .execute()
    const ids = ['brand-000', 'brand-199', 'brand-201', 'unknown']
    const { first, later } = await counters.brandsOf(ids, { first: 200 })
    assert.deepEqual(
      [ids.filter((id) => first.has(id)), first.size, [...later]],
      [ids.slice(0, 2), 200, ['brand-201']],
    )
  })
})
