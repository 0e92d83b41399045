/** Tests that a run that cannot continue still has a result, so that the other faults keep theirs. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { CALM } from './faults.ts'
import { run } from './run.ts'

test('a run that cannot start reports the stage where it gave up, and does not throw', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-run-'))
  try {
    const result = await run({
      ...{ fault: CALM, seed: '1', amount: { operations: 1 }, directory: join(directory, 'run') },
      scene: {
        ...{ people: [], models: [], keys: [] },
        asked: { name: 'asked', registration: 'approval', text: '' },
        next: { name: 'next', registration: 'auto', text: '' },
      },
      postgres: () => Promise.reject(new Error('there is no server')),
    })
    assert.match(result.gaveUp ?? '', /^gave up when it set up the database: Error: there is no server/)
    assert.equal(result.fault, 'calm')
  } finally {
    rmSync(directory, { recursive: true })
  }
})
