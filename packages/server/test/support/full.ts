/** How often repetitive tests repeat: `npm test` runs a quick sample, `npm run test:full` all rounds. */

export const FULL = process.env['RATAFIA_TEST_FULL'] === '1'
