/**
 * Stops the process of a test file that stays open after its tests, and prints what keeps it open. Runs without a time
 * limit load this module with `--import`, because they would wait for such a process forever.
 */
import { after } from 'node:test'

/** Only a process that would never exit waits this long. Tests of this module set a shorter time. */
const PATIENCE_MS = Number(process.env['RATAFIA_TEST_PATIENCE_MS'] ?? 300_000)

// The runner's own process also loads this module, but has no tests.
if (process.env['NODE_TEST_CONTEXT'] !== undefined) {
  after(() => {
    const timer = setTimeout(() => {
      const open = [...new Set(process.getActiveResourcesInfo())].join(', ')
      process.stderr.write(
        `The tests of this file have finished, but its process does not exit. Still open: ${open}.\n`,
      )
      process.exit(1)
    }, PATIENCE_MS)
    timer.unref()
  })
}
