/** Tests a worker alone. `test/processes/` has tests of whole services. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ORPHAN = fileURLToPath(new URL('../../test/support/orphan.ts', import.meta.url))

test('a worker that writes to a killed supervisor before it notices ends without an error', async () => {
  const supervisor = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ORPHAN])
  const errors = text(supervisor.stderr)
  await once(supervisor.stdout, 'data')
  supervisor.kill('SIGKILL')
  // The worker holds the same pipe, so it has ended too.
  assert.equal(await errors, '')
})
