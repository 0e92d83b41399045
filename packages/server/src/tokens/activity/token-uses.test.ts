import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSessionId } from '@ratafia/api'
import { tokenUses, type UsedToken } from './token-uses.ts'

const MINUTE = 60_000

function noting(most?: number) {
  let now = 0
  let counted = 0
  const seen: UsedToken[] = []
  const uses = tokenUses(
    { saw: (one) => void seen.push(one) },
    {
      clock: () => new Date(now),
      tally: { add: () => void counted++ },
      ...(most === undefined ? {} : { most }),
    },
  )
  return {
    use: (id: UsedToken['id'], minute: number, address = '::1') => {
      now = minute * MINUTE
      uses.used('developer', id, address)
    },
    counted: () => counted,
    noted: () => seen.map(({ id, at, address }) => [id, at.getTime() / MINUTE, address]),
  }
}

test('records each session at most once in five minutes', () => {
  const [one, two] = [newSessionId(), newSessionId()]
  const { use, noted, counted } = noting()
  use(one, 0)
  use(one, 4.9, '192.0.2.1')
  use(two, 4.9)
  use(one, 5, '192.0.2.2')
  use(one, 9.9)
  assert.deepEqual(noted(), [
    [one, 0, '::1'],
    [two, 4.9, '::1'],
    [one, 5, '192.0.2.2'],
  ])
  assert.equal(counted(), 5)
})

test('records a session again after the clock was set back', () => {
  const one = newSessionId()
  const { use, noted } = noting()
  use(one, 600)
  use(one, 0)
  use(one, 1)
  assert.deepEqual(
    noted().map(([, at]) => at),
    [600, 0],
  )
})

test('memory is bounded, and sessions beyond the limit are recorded again', () => {
  const [one, two, three] = [newSessionId(), newSessionId(), newSessionId()]
  const { use, noted } = noting(2)
  for (const id of [one, two, one, two, three, one]) use(id, 0)
  assert.deepEqual(
    noted().map(([id]) => id),
    [one, two, three, one],
  )
})
