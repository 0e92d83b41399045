/** How much repetitive tests do: `npm test` runs a sample, `npm run test:full` all of it. */
import type { Parameters } from 'fast-check'

export const FULL = process.env['RATAFIA_TEST_FULL'] === '1'

/** So many times as many hostile requests: for a long run by hand. */
export const HOSTILE_TIMES = Number(process.env['RATAFIA_TEST_HOSTILE_TIMES'] ?? 1)

/** How long a property may run. What it finds in that time counts; running out of it is no failure. */
export const timeBox = (milliseconds: number): Parameters<unknown> => ({
  numRuns: 100_000,
  interruptAfterTimeLimit: FULL ? milliseconds : milliseconds / 5,
  markInterruptAsFailure: false,
})
