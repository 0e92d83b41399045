import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CountedRow } from './counter-store.ts'
import { sendCounters } from './send.ts'
import { HOUR_MS, MOST_BRANDS } from './series.ts'
import { type KeptTally, keepTally } from './tally.ts'

const NEVER = 1_000_000_000

const shown = (rows: readonly CountedRow[]) =>
  rows.map(({ name, at, brandId, label, n }) => `${name} ${at / HOUR_MS} ${brandId} ${label} ${n}`).sort()

test('counts by the hour, for all brands together and for the given brand', () => {
  let now = 5 * HOUR_MS
  const tally = keepTally({ clock: () => new Date(now) })
  tally.add('registrations', 'serial', 'acme')
  tally.add('registrations', 'serial', 'zenith')
  now += HOUR_MS - 1
  tally.add('registrations', 'refused')
  tally.add('refusals', 'invalid-field', undefined, 3)
  tally.add('refusals', 'invalid-field', undefined, 0)
  now += 1
  tally.add('registrations', 'serial', 'acme')
  assert.deepEqual(shown(tally.take()), [
    'refusals 5 (all) invalid-field 3',
    'registrations 5 (all) refused 1',
    'registrations 5 (all) serial 2',
    'registrations 5 acme serial 1',
    'registrations 5 zenith serial 1',
    'registrations 6 (all) serial 1',
    'registrations 6 acme serial 1',
  ])
  assert.deepEqual(tally.take(), [])
})

test('bounds its memory by counting further brands as others', () => {
  const tally = keepTally({ clock: () => new Date(0), most: 3 })
  for (const brand of ['a', 'b', 'c', 'd', 'a']) tally.add('device-sessions', 'opened', brand)
  assert.deepEqual(shown(tally.take()), [
    'device-sessions 0 (all) opened 5',
    'device-sessions 0 (other) opened 2',
    'device-sessions 0 a opened 2',
    'device-sessions 0 b opened 1',
  ])
})

function sending(tally: KeptTally, { fails = () => false }: { fails?: () => boolean } = {}) {
  const sent: string[][] = []
  const errors: unknown[] = []
  const sender = sendCounters({
    tally,
    counters: {
      async add(rows) {
        if (fails()) throw new Error('away')
        sent.push(shown(rows))
      },
      brandsOf: async (ids) => ({
        first: new Set(ids.filter((id) => id === 'acme')),
        later: new Set(ids.filter((id) => id === 'late')),
      }),
    },
    onError: (error) => errors.push(error),
    everyMs: NEVER,
  })
  return { sender, sent, errors }
}

test('counts unknown brands only in the total, and brands after the first ones as others', async () => {
  const tally = keepTally({ clock: () => new Date(0) })
  const { sender, sent } = sending(tally)
  for (const brand of ['acme', 'unknown', 'late', '(all)']) tally.add('registrations', 'refused', brand)
  await sender.stop()
  assert.deepEqual(sent, [
    [
      'registrations 0 (all) refused 5',
      'registrations 0 (other) refused 1',
      'registrations 0 acme refused 1',
    ],
  ])
  assert.equal(MOST_BRANDS, 200)
})

test('retries counts that were not stored, together with newer ones', async () => {
  let away = true
  const tally = keepTally({ clock: () => new Date(0) })
  const { sender, sent, errors } = sending(tally, { fails: () => away })
  tally.add('logins', 'opened')
  const flushing = sender.flush()
  tally.add('logins', 'opened')
  await flushing
  assert.equal(errors.length, 1)
  away = false
  await sender.stop()
  assert.deepEqual(sent, [['logins 0 (all) opened 2']])
})
