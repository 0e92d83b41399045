import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backOff } from './back-off.ts'

const AWAY = 3
const early = { listenedFor: undefined, exitCode: 4 }

test('a worker that ran well is replaced at once, even after others that did not', () => {
  const { after } = backOff({ waitingCode: AWAY })
  assert.equal(after({ listenedFor: 60_000, exitCode: undefined }), 100)
  assert.deepEqual([after(early), after(early), after(early)], [100, 200, 400])
  assert.equal(after({ listenedFor: 1_000, exitCode: 5 }), 100)
  assert.equal(after(early), 100)
})

test('gives up on workers that die as soon as they start', () => {
  const { after } = backOff({ waitingCode: AWAY })
  const killed = { listenedFor: 999, exitCode: undefined }
  assert.deepEqual(
    [after(early), after(killed), after(early), after(killed), after(early)],
    [100, 200, 400, 800, 'give-up'],
  )
})

test('waits forever for an unavailable database, with longer and longer pauses', () => {
  const { after } = backOff({ waitingCode: AWAY })
  const away = { listenedFor: undefined, exitCode: AWAY }
  const waits = Array.from({ length: 100 }, () => after(away))
  assert.deepEqual(waits.slice(0, 7), [100, 200, 400, 800, 1_600, 3_200, 5_000])
  assert.ok(waits.slice(7).every((wait) => wait === 5_000))
})
