/** Which lines of a node's log are findings. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NodeLog } from '../world/node-log.ts'
import { unexpectedLines } from './logs.ts'

const line = (level: number, msg: string, type?: string): string =>
  JSON.stringify({ level, msg, ...(type !== undefined && { err: { type } }) })

const LINES: readonly { readonly says: string; readonly text: string; readonly why?: string }[] = [
  { says: 'a database that is away', text: line(40, 'a job failed', 'Unavailable') },
  { says: 'a job with a fault', text: line(40, 'a job failed', 'TypeError'), why: 'an unexpected error' },
  { says: 'a warning that the fault causes', text: line(40, 'refused', 'KeysUnavailable') },
  { says: 'a warning of another kind', text: line(40, 'refused', 'OtherError'), why: 'an unexpected error' },
  { says: 'an error', text: line(50, 'fault'), why: 'an error' },
  { says: 'an error that the fault causes', text: line(50, 'a worker died') },
  { says: 'a rejection that ends a process', text: 'Error: unheard', why: 'what is not an entry' },
  { says: 'a start that is repeated', text: 'ratafia: The database cannot be used: away.' },
]

for (const { says, text, why } of LINES) {
  test(says, () => {
    const log = new NodeLog()
    // In two pieces, as a pipe may bring it.
    log.add(text.slice(0, 5))
    log.add(`${text.slice(5)}\n`)
    const found = [...unexpectedLines('node 1', log.lines, ['a worker died', 'KeysUnavailable'])]
    assert.deepEqual(found, why === undefined ? [] : [`node 1 logged ${why}: ${text}`])
  })
}
