import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MeasuredClock } from './measured-clock.ts'

/** A server whose clock is `differs` milliseconds ahead of the monotonic clock, which starts at 1,000. */
function world(differs: number) {
  let monotonic = 1_000
  const server = {
    differs,
    after: (milliseconds: number) => {
      monotonic += milliseconds
    },
  }
  const clock = new MeasuredClock(() => monotonic)
  return {
    server,
    clock,
    /** Measures with a round trip of this length. The server answers in the middle of it. */
    measure: (roundTrip: number) => {
      const sent = monotonic
      const time = monotonic + roundTrip / 2 + server.differs
      monotonic += roundTrip
      clock.measured(sent, time)
    },
    /** How far the clock is behind the server's. */
    behind: () => monotonic + server.differs - clock.now().getTime(),
    /** The result for a machine whose clock is this much ahead of the server's. */
    aheadBy: (milliseconds: number) => clock.aheadBy(new Date(monotonic + server.differs + milliseconds)),
  }
}

const YEAR_2026 = 1_800_000_000_000

describe('the time of the database, measured', () => {
  test('is unknown before the first measurement', () => {
    assert.throws(() => world(0).clock.now(), TypeError)
  })

  test('is never ahead, and behind at most by the time of the fastest answer', () => {
    const { measure, behind } = world(YEAR_2026)
    measure(400)
    assert.equal(behind(), 200)
    measure(10)
    assert.equal(behind(), 5)
    measure(2_000)
    assert.ok(behind() >= 5 && behind() < 10, 'a slow answer does not worsen the bounds')
  })

  for (const jump of [3_600_000, -3_600_000, 40 * 86_400_000, 5_000, -5_000]) {
    test(`follows a server whose clock is set by ${jump / 1000} seconds, or another server`, () => {
      const { server, measure, behind } = world(YEAR_2026)
      measure(10)
      server.differs += jump
      measure(10)
      assert.equal(behind(), 5)
    })
  }

  test('follows a drifting server clock, and keeps running between two measurements', () => {
    const { server, measure, behind } = world(YEAR_2026)
    measure(10)
    for (let hour = 0; hour < 24; hour++) {
      server.after(3_600_000)
      server.differs -= 360
      measure(10)
      assert.ok(behind() >= 0 && behind() <= 10, String(behind()))
    }
  })

  test('reports a machine as ahead or behind only by the certain difference', () => {
    const { measure, aheadBy } = world(YEAR_2026)
    measure(1_000)
    for (const within of [-500, 0, 500]) assert.ok(Math.abs(aheadBy(within)) < 1e-6, String(within))
    assert.equal(Math.round(aheadBy(7_200_000)), 7_199_500)
    assert.equal(Math.round(aheadBy(-7_200_000)), -7_199_500)
  })
})
