/**
 * Ends the process of a test file that stays open although its tests are over, and prints what keeps it open. Runs
 * without a time limit of their own load it with `--import`: otherwise they would wait for such a process for ever.
 */
import { after } from 'node:test'

/** Only a process that would never end waits this long. Tests of this module set a shorter time. */
const PATIENCE_MS = Number(process.env['RATAFIA_TEST_PATIENCE_MS'] ?? 300_000)

// The runner loads it too, and has no tests.
if (process.env['NODE_TEST_CONTEXT'] !== undefined) {
  after(() => {
    const timer = setTimeout(() => {
      const open = [...new Set(process.getActiveResourcesInfo())].join(', ')
      process.stderr.write(
        `The tests of this file are over, and its process does not end. Still open: ${open}.\n`,
      )
      process.exit(1)
    }, PATIENCE_MS)
    timer.unref()
  })
}
