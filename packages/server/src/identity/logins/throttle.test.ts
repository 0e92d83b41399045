import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { localCounters } from '../../counters.ts'
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
      perAccount: { name: 'account', burst: 3, interval: 60_000, remembered: 100 },
      perAddress: { name: 'address', burst: 5, interval: 10_000, remembered: 100 },
    })
  })

  const attempt = (username: string, address = '192.0.2.1') => throttle.attempt({ username, address })
  const allowed = async (username: string, address?: string) => (await attempt(username, address)).allowed

  test('after the burst an account is blocked, from every address, until one failure is forgotten', async () => {
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

  test('an address is blocked whichever accounts it tries', async () => {
    for (let i = 0; i < 5; i++) assert.ok(await allowed(`user${i}`))
    assert.ok(!(await allowed('another')))
    assert.ok(await allowed('another', '192.0.2.2'))
  })

  test('a refused attempt does not count: trying again does not prolong the wait', async () => {
    for (let i = 0; i < 3; i++) await allowed('bob')
    for (let i = 0; i < 50; i++) assert.ok(!(await allowed('bob', '192.0.2.9')))
    now += 60_000
    assert.ok(await allowed('bob', '192.0.2.9'))
  })

  test('an attempt that succeeded leaves no trace', async () => {
    for (let i = 0; i < 50; i++) {
      const one = await attempt('bob')
      assert.ok(one.allowed)
      one.forgive()
    }
  })

  test('parallel attempts are counted before the first one ends', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => allowed('bob')))
    assert.equal(results.filter(Boolean).length, 3)
  })

  test('memory is bounded: the name that failed longest ago is forgotten first', async () => {
    for (let i = 0; i < 3; i++) await allowed('bob')
    for (let i = 0; i < 99; i++) await allowed(`user${i}`, `10.0.0.${i}`)
    assert.ok(!(await allowed('bob', '10.1.0.1')))
    await allowed('one-too-many', '10.1.0.2')
    assert.ok(await allowed('bob', '10.1.0.3'))
  })
})
