/** The effort of repetitive tests: `npm test` runs a sample, and `npm run test:full` everything. */
import type { Parameters } from 'fast-check'

export const FULL = process.env['RATAFIA_TEST_FULL'] === '1'

/** A factor for the number of hostile requests, for a long run by hand. */
export const HOSTILE_TIMES = Number(process.env['RATAFIA_TEST_HOSTILE_TIMES'] ?? 1)

/**
 * Returns the number of values to try a property with: `runs` in a full run, a twentieth of them in `npm test`. A time
 * limit would depend on the machine, and would fail a property if it expired before the first value.
 */
export const sampled = (runs: number): Parameters<unknown> => ({
  numRuns: FULL ? runs : Math.ceil(runs / 20),
})
