/** Checks that published migrations are unchanged. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { wordsOf } from '../../packages/server/src/database/differences.ts'
import type { Migration } from '../../packages/server/src/database/schema/migration.ts'
import { inCheckoutOf } from './checkouts.ts'
import type { RecordedRelease } from './releases.ts'

const DATABASE = 'packages/server/src/database'

/**
 * Throws an Error if a migration of the release runs other statements in the checkout at `root`, on SQLite or on
 * PostgreSQL.
 */
export async function checkMigrations(root: string, { version, commit }: RecordedRelease): Promise<void> {
  const [published, current] = [await inCheckoutOf(commit, statementsIn), await statementsIn(root)]
  for (const [name, statements] of published) {
    if (JSON.stringify(current.get(name)) === JSON.stringify(statements)) continue
    throw new Error(
      `The migration ${name} runs other statements than in ${version}. Restore it, and add a new migration instead.`,
    )
  }
}

async function statementsIn(root: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const load = (path: string) => import(pathToFileURL(join(root, DATABASE, path)).href)
  const differences: { wordsOf: typeof wordsOf } = await load('differences.ts')
  const { migrations }: { migrations: readonly Migration[] } = await load('schema/migrations/index.ts')
  const words = [differences.wordsOf('sqlite'), differences.wordsOf('postgres')]
  return new Map(migrations.map(({ name, statements }) => [name, words.flatMap(statements)]))
}
