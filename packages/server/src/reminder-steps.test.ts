import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endsWithSteps, SHORTEST_LIFE_MS, stepAt } from './reminder-steps.ts'
import { waitAfter } from './reminders/send-reminders.ts'

const DAY = 86_400_000
const at = (text: string) => new Date(text)

// Days are in UTC: regardless of the hour, a step begins at midnight.
const STEPS: readonly [now: string, step: number | undefined][] = [
  ['2026-11-02T23:59:59Z', undefined],
  ['2026-11-03T00:00:00Z', 30],
  ['2026-11-25T23:59:59Z', 30],
  ['2026-11-26T00:00:00Z', 7],
  ['2026-12-01T23:59:59Z', 7],
  ['2026-12-02T00:00:00Z', 1],
  ['2026-12-02T23:59:59Z', 1],
  ['2026-12-03T00:00:00Z', 0],
  ['2026-12-03T23:59:59Z', 0],
  ['2026-12-04T00:00:00Z', undefined],
]
for (const [now, step] of STEPS) {
  test(`at ${now} the step for what expires on 2026-12-03 is ${step}`, () => {
    for (const endsAt of ['2026-12-03T00:00:00Z', '2026-12-03T14:05:00Z', '2026-12-03T23:59:59.999Z']) {
      assert.equal(stepAt({ since: at('2026-01-01T00:00:00Z'), endsAt: at(endsAt) }, at(now)), step)
      const { from, before } = endsWithSteps(at(now))
      assert.equal(from <= at(endsAt) && at(endsAt) < before, step !== undefined, 'the range of expiry dates')
    }
  })
}

test('there is no step in the first half of a life', () => {
  const endsAt = at('2026-12-03T12:00:00Z')
  const step = (life: number, left: number) =>
    stepAt(
      { since: new Date(endsAt.getTime() - life * DAY), endsAt },
      new Date(endsAt.getTime() - left * DAY),
    )
  assert.deepEqual([step(60, 30), step(59, 29), step(59, 8), step(59, 7)], [30, undefined, undefined, 7])
  assert.deepEqual([step(14, 7), step(13, 6), step(13, 1)], [7, undefined, 1])
  assert.deepEqual([step(3, 1), step(3, 0), step(2.9, 1), step(2.9, 0)], [1, 0, undefined, undefined])
  // A token asked for with 60 days expires at a named instant, so it lives slightly less.
  assert.equal(step(60 - 0.0001, 30), 30)
  assert.equal(SHORTEST_LIFE_MS, 255_600_000, 'the number in the index')
})

test('retries after a minute, then twice as long each time, and at most every six hours', () => {
  const minutes = (random: number) =>
    Array.from({ length: 12 }, (_, index) => waitAfter(index + 1, random) / 60_000)
  assert.deepEqual(minutes(0.5), [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360])
  assert.equal(minutes(0)[0], 0.8)
  assert.equal(minutes(1)[11], 432)
  assert.equal(waitAfter(5_000, 0.5), 6 * 3_600_000)
})
