/** How much the tests do that repeat one thing many times: `npm test` is quick, `npm run test:full` does all of it. */

/** Whether this is the full run. */
export const FULL = process.env['RATAFIA_TEST_FULL'] === '1'
