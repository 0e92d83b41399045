/** Before any test: everything is installed, its versions are on record, and a real PostgreSQL runs. */
import { globalSetup as startPostgres } from '../../tools/test/postgres.ts'
import { checkRequirements, versions } from './requirements.ts'

export { globalTeardown } from '../../tools/test/postgres.ts'

export async function globalSetup(): Promise<void> {
  checkRequirements()
  process.stdout.write(`${versions()}\n`)
  await startPostgres()
}
