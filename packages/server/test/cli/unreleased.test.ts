/**
 * Guarantee: no command uses or changes a database that was created before the first release. Each message
 * gives the remedy.
 */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { type Database, describeTables, tableNames } from '../../src/database/index.ts'
import { eachDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'

const SENTENCE =
  'The database was created before the first release of Ratafia, and releases cannot use it. Nothing in it was changed. ' +
  'Start with a new database: set RATAFIA_DATA_DIR or RATAFIA_DATABASE_URL.'

const COMMANDS = [
  ...['migrate', 'migrate --plan', 'serve', 'identity serve', 'config check --connect', 'status', 'verify'],
  ...['backup FILE.backup', 'restore FILE', 'restore FILE --replace --yes --unsealed', 'secret rotate'],
  ...['accounts list', 'accounts disable ann --yes', 'devices list'],
]

eachDatabase((kind, open, fresh) => {
  const program = testProgram(fresh)
  let database: Database
  let file: string
  let found: unknown
  before(async () => {
    file = join(program.directory, 'file')
    await writeFile(file, gzipSync('{}\n'))
    await program.says('migrate')
    await program.addAccount('ann')
    database = await open()
    await sql`update schema_migration set name = '0001-first' where name = '0001-schema'`.execute(
      database.query,
    )
    found = await contentsOf(database)
  })

  for (const words of [...COMMANDS, ...(kind === 'postgres' ? ['migrate --partitions 4'] : [])]) {
    test(`ratafia ${words} refuses it`, async () => {
      const { code, stdout, stderr } = await program.run(words.replace('FILE', file))
      assert.deepEqual([code, stdout], [4, ''], stderr)
      assert.ok(stderr.includes(SENTENCE), stderr)
      assert.deepEqual(await contentsOf(database), found)
    })
  }

  test('--json reports it as a configuration error', async () => {
    const error = { code: 'configuration', message: SENTENCE, exit_code: 4 }
    assert.deepEqual(JSON.parse((await program.run('migrate --json')).stderr), { error })
  })
})

/** Returns every row of every table, and the definitions of all other objects. */
async function contentsOf({ query, kind }: Database): Promise<unknown> {
  const tables = await describeTables(query, kind, [
    ...tableNames(kind),
    'schema_lock',
    'schema_migration',
    ...(kind === 'sqlite' ? ['recent_change'] : []),
  ])
  const rows = await Promise.all(
    tables.map(async ({ name, primaryKey }) => {
      const key = sql.join(primaryKey.map((column) => sql.ref(column)))
      return [name, (await sql`select * from ${sql.table(name)} order by ${key}`.execute(query)).rows]
    }),
  )
  const objects = await (kind === 'sqlite'
    ? sql`select type, name, sql from sqlite_master order by type, name`
    : sql`select relkind::text, relname::text from pg_class where relnamespace = 'public'::regnamespace order by oid`
  ).execute(query)
  return [rows, objects.rows]
}
