/** Tests which lines of a node's log are findings. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NodeLog } from '../world/node-log.ts'
import { unexpectedLines } from './logs.ts'

const line = (level: number, msg: string, type?: string): string =>
  JSON.stringify({ level, msg, ...(type !== undefined && { err: { type } }) })

const LINES: readonly { readonly says: string; readonly text: string; readonly why?: string }[] = [
  { says: 'accepts an unavailable database', text: line(40, 'a job failed', 'Unavailable') },
  {
    says: 'reports a job that fails with a different error',
    text: line(40, 'a job failed', 'TypeError'),
    why: 'an unexpected error',
  },
  { says: 'accepts a warning that the fault causes', text: line(40, 'refused', 'KeysUnavailable') },
  {
    says: 'reports a warning that the fault does not cause',
    text: line(40, 'refused', 'OtherError'),
    why: 'an unexpected error',
  },
  { says: 'reports an error', text: line(50, 'fault'), why: 'an error' },
  { says: 'accepts an error that the fault causes', text: line(50, 'a worker died') },
  {
    says: 'reports an unhandled rejection, which is not a log entry',
    text: 'Error: unhandled',
    why: 'a line that is not an entry',
  },
  { says: 'accepts a failed start, which is repeated', text: 'ratafia: The database cannot be used: away.' },
]

for (const { says, text, why } of LINES) {
  test(says, () => {
    const log = new NodeLog()
    // A pipe may deliver a line in two pieces.
    log.add(text.slice(0, 5))
    log.add(`${text.slice(5)}\n`)
    const found = [...unexpectedLines('node 1', log.lines, ['a worker died', 'KeysUnavailable'])]
    assert.deepEqual(found, why === undefined ? [] : [`node 1 logged ${why}: ${text}`])
  })
}
