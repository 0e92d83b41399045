import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { localCounters } from '../../limits/counters.ts'
import { createThrottle, type Throttle } from './throttle.ts'

let now: number
const clock = () => new Date(now)
let throttle: Throttle

suite('the throttle', () => {
  beforeEach(() => {
    now = Date.parse('2026-11-20T10:00:00Z')
    throttle = createThrottle({
      clock,
      counters: localCounters({ clock }),
      perName: { name: 'account', burst: 3, interval: 60_000, remembered: 100 },
      signedInBefore: async ({ name, address }) => name === 'carol' && address === '203.0.113.1',
      perNetwork: [
        { name: 'address', burst: 5, interval: 10_000, remembered: 100 },
        { name: 'network', burst: 10, interval: 5_000, remembered: 100 },
        { name: 'provider', burst: 20, interval: 2_500, remembered: 100 },
      ],
    })
  })

  const attempt = (name: string, address = '192.0.2.1') => throttle.attempt({ name, address })
  const allowed = async (username: string, address?: string) => (await attempt(username, address)).allowed

  test('blocks an account after the burst, from every address, until one failure is forgotten', async () => {
    for (let i = 0; i < 3; i++) assert.ok(await allowed('bob', `192.0.2.${i}`))
    const refused = await attempt('bob', '198.51.100.1')
    assert.ok(!refused.allowed)
    assert.equal(refused.retryAt.toISOString(), '2026-11-20T10:01:00.000Z')
    assert.ok(await allowed('alice'))
    now += 59_999
    assert.ok(!(await allowed('bob')))
    now += 1
    assert.ok(await allowed('bob'))
    assert.ok(!(await allowed('bob')))
    now += 180_000
    for (let i = 0; i < 3; i++) assert.ok(await allowed('bob'))
  })

  test('blocks an address regardless of the accounts it tries', async () => {
    for (let i = 0; i < 5; i++) assert.ok(await allowed(`user${i}`))
    assert.ok(!(await allowed('another')))
    assert.ok(await allowed('another', '192.0.2.2'))
  })

  for (const [what, of, elsewhere, burst] of [
    ['an IPv4 /24', (i: number) => `192.0.2.${i}`, '192.0.3.1', 10],
    ['an IPv6 /48', (i: number) => `2001:db8:1:${i}::1`, '2001:db8:2::1', 10],
    ['an IPv6 /32', (i: number) => `2001:db8:${i}::1`, '2001:db9::1', 20],
  ] as const) {
    test(`blocks ${what} after ${burst} failures, whichever addresses and accounts it tries`, async () => {
      for (let i = 0; i < burst; i++) assert.ok(await allowed(`user${i}`, of(i)))
      assert.ok(!(await allowed('another', of(burst + 1))))
      assert.ok(await allowed('another', elsewhere))
    })
  }

  test('strangers cannot lock out a user who signed in before, and guesses from their network are also limited', async () => {
    for (let i = 0; i < 3; i++) assert.ok(await allowed('carol', `192.0.${i}.1`))
    assert.ok(!(await allowed('carol', '198.51.100.1')))
    assert.ok(!(await allowed('carol', '203.0.113.2')))
    for (let i = 0; i < 3; i++) assert.ok(await allowed('carol', '203.0.113.1'))
    assert.ok(!(await allowed('carol', '203.0.113.1')))
  })

  test('a refused attempt does not count, so trying again does not prolong the wait', async () => {
    for (let i = 0; i < 3; i++) await allowed('bob')
    for (let i = 0; i < 50; i++) assert.ok(!(await allowed('bob', '192.0.2.9')))
    now += 60_000
    assert.ok(await allowed('bob', '192.0.2.9'))
  })

  test('does not count an attempt that succeeded', async () => {
    for (let i = 0; i < 50; i++) {
      const one = await attempt('bob')
      assert.ok(one.allowed)
      one.forgive()
    }
  })

  test('counts parallel attempts before the first one finishes', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => allowed('bob')))
    assert.equal(results.filter(Boolean).length, 3)
  })

  test('memory is bounded, and the name that failed longest ago is forgotten first', async () => {
    for (let i = 0; i < 3; i++) await allowed('bob')
    for (let i = 0; i < 99; i++) await allowed(`user${i}`, `10.${i}.0.1`)
    assert.ok(!(await allowed('bob', '192.0.2.1')))
    await allowed('one-too-many', '198.51.100.2')
    assert.ok(await allowed('bob', '203.0.113.3'))
  })
})
