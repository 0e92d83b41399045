/** How much repetitive tests do: `npm test` runs a sample, `npm run test:full` all of it. */
import type { Parameters } from 'fast-check'

export const FULL = process.env['RATAFIA_TEST_FULL'] === '1'

/** So many times as many hostile requests: for a long run by hand. */
export const HOSTILE_TIMES = Number(process.env['RATAFIA_TEST_HOSTILE_TIMES'] ?? 1)

/**
 * How many values a property is tried with: `runs` in full, a twentieth of them in `npm test`. A limit of time would depend on
 * the machine, and fail a property of which it lets no value be tried.
 */
export const sampled = (runs: number): Parameters<unknown> => ({
  numRuns: FULL ? runs : Math.ceil(runs / 20),
})
