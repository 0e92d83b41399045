/** Before all tests: checks the installed clients, prints their versions, bundles the program, starts a PostgreSQL. */
import { bundleForTests } from '../../tools/test/bundle.ts'
import { globalSetup as startPostgres } from '../../tools/test/postgres.ts'
import { COMPILE_CACHE } from '../../tools/test/programs.ts'
import { checkRequirements, versions } from './requirements.ts'

export { globalTeardown } from '../../tools/test/postgres.ts'

export async function globalSetup(): Promise<void> {
  process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE
  checkRequirements()
  process.stdout.write(`${versions()}\n`)
  await Promise.all([startPostgres(), bundleForTests()])
}
