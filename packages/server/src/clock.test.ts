import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockAgreement } from './clock.ts'

const DAY_MS = 86_400_000
const BY_NTP = 'Set both by NTP: until they agree, this process'

for (const [aheadMs, says] of [
  [5_001, `5.0 seconds ahead of the database's. ${BY_NTP} does no periodic work.`],
  [-90_000, `90.0 seconds behind the database's. ${BY_NTP} does no periodic work.`],
  [300_000, `5 minutes ahead of the database's. ${BY_NTP} does no periodic work.`],
  [-300_001, `5 minutes behind the database's. ${BY_NTP} does no periodic work and answers no requests.`],
  [7_200_000, `2 hours ahead of the database's. ${BY_NTP} does no periodic work and answers no requests.`],
  [-40 * DAY_MS, `40 days behind the database's. ${BY_NTP} does no periodic work and answers no requests.`],
] as const) {
  test(`reports a machine ${aheadMs} ms ahead of the database`, () => {
    const serves = !says.includes('answers no requests')
    const expected = { works: false, serves, says: `The clock of this machine is ${says}` }
    assert.deepEqual(clockAgreement(aheadMs), expected)
  })
}

for (const aheadMs of [0, 5_000, -5_000]) {
  test(`a machine ${aheadMs} ms ahead of the database agrees with it`, () => {
    assert.deepEqual(clockAgreement(aheadMs), { works: true, serves: true, says: undefined })
  })
}
