import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { FULL } from '../../../../../tools/test/effort.ts'
import { eachDatabase } from '../../../test/support/databases.ts'
import { wordsOf } from '../differences.ts'
import {
  lockSchema,
  migrate,
  migrateTo,
  planMigrations,
  prepareSchemaLock,
  requireCurrentSchema,
  requireFitDatabase,
  schemaState,
} from '../index.ts'
import { migrationsDone } from './bookkeeping.ts'
import type { Migration } from './migration.ts'
import { migrations } from './migrations/index.ts'

const names = migrations.map(({ name }) => name)
const child = new URL('../../../test/support/migrate-child.ts', import.meta.url).pathname

const next: Migration = {
  name: '0098-next',
  statements: ({ strict }) => [
    `create table next_one (a text not null primary key)${strict}`,
    "insert into next_one (a) values ('x')",
  ],
}

test('migrations are numbered from 0001 without gaps', () => {
  assert.deepEqual(
    names.map((name) => name.slice(0, 5)),
    names.map((_, index) => `${String(index + 1).padStart(4, '0')}-`),
  )
})

eachDatabase((_kind, _open, { emptyTarget }) => {
  test('if two processes start at once, one migrates and the other waits for it', async () => {
    const run = promisify(execFile)
    const outputs = await Promise.all(
      Array.from({ length: 2 }, async () =>
        run(process.execPath, [
          '--disable-warning=ExperimentalWarning',
          child,
          JSON.stringify(await emptyTarget()),
        ]),
      ),
    )
    const ran = outputs.map(({ stdout }) => JSON.parse(stdout) as string[])
    assert.deepEqual(ran.flat(), names)
  })
})

for (let round = 0; round < (FULL ? 5 : 1); round++) {
  eachDatabase((_kind, _open, { openEmpty }) => {
    test('if twenty clients migrate at once, one does the work', async () => {
      const clients = await Promise.all(Array.from({ length: 20 }, openEmpty))
      const ran = await Promise.all(clients.map((client) => migrate(client)))
      assert.deepEqual(ran.flat(), names)
    })
  })
}

eachDatabase((_kind, _open, { openEmpty }) => {
  test('a first start runs every migration, a second runs none', async () => {
    const database = await openEmpty()
    await assert.rejects(requireCurrentSchema(database), {
      name: 'SchemaError',
      code: 'schema-too-old',
      message: 'The database has no tables of Ratafia yet: run `ratafia migrate`, or start the service once.',
    })
    assert.deepEqual(await migrate(database), names)
    assert.deepEqual(await migrate(database), [])
    await requireCurrentSchema(database)
  })

  test('a failed migration leaves nothing behind, nor do earlier ones of the same run', async () => {
    const database = await openEmpty()
    const broken: Migration = { name: '0003-broken', statements: () => ['create table not sql'] }
    await assert.rejects(migrate(database, { migrations: [...migrations, next, broken] }), /syntax error/)
    await assert.rejects(sql`select a from next_one`.execute(database.query), /next_one/)
    assert.deepEqual(await migrate(database), [])
  })

  test('brings an older schema up to date, and works with one that newer code has only added to', async () => {
    const database = await openEmpty()
    await assert.rejects(requireCurrentSchema(database, [...migrations, next]), {
      code: 'schema-too-old',
      message: 'The schema of the database is older than this version of Ratafia: run `ratafia migrate`.',
    })
    assert.deepEqual(await migrate(database, { migrations: [...migrations, next] }), ['0098-next'])
    assert.deepEqual(await migrate(database), [])
    await requireCurrentSchema(database)
  })
})

eachDatabase((_kind, _open, { openEmpty }) => {
  test('the plan matches what runs, and planning runs nothing', async () => {
    const database = await openEmpty()
    const all = await planMigrations(database, database.kind)
    assert.deepEqual(
      all.map(({ name }) => name),
      ['0000-bookkeeping', ...names],
    )
    assert.deepEqual(await planMigrations(undefined, database.kind), all)
    await assert.rejects(requireCurrentSchema(database), { code: 'schema-too-old' })
    // By hand, like an operator who does not let programs change a schema.
    for (const { statements } of all) {
      for (const statement of statements) await sql.raw(statement).execute(database.query)
    }
    for (const name of names) {
      await sql`insert into schema_migration (name, ran_at) values (${name}, 0)`.execute(database.query)
    }
    assert.deepEqual(await migrate(database), [])
    assert.deepEqual(await planMigrations(database, database.kind, { migrations: [...migrations, next] }), [
      { name: '0098-next', contracts: false, statements: next.statements(wordsOf(database.kind)) },
    ])
  })
})

eachDatabase((_kind, _open, { openEmpty }) => {
  test('refuses a schema that newer code has dropped something from, and names the migration', async () => {
    const database = await openEmpty()
    const contract: Migration = { name: '0099-contract-next', statements: () => ['drop table next_one'] }
    const newer = [...migrations, next, contract]
    assert.deepEqual((await migrate(database, { migrations: newer })).slice(-2), [next.name, contract.name])
    const expected = {
      name: 'SchemaError',
      code: 'schema-too-new',
      message:
        'The database was migrated by a newer version of Ratafia (0099-contract-next): ' +
        'start that version, or restore a backup from before.',
    }
    await assert.rejects(migrate(database), expected)
    await assert.rejects(requireCurrentSchema(database), expected)
    await assert.rejects(planMigrations(database, database.kind), expected)
  })
})

eachDatabase((kind, _open, { openEmpty }) => {
  test('a restore creates the schema of a backup and then brings it up to date, never back', async () => {
    const database = await openEmpty()
    const newer = [...migrations, next]
    const to = (wanted: Parameters<typeof migrateTo>[2]) =>
      database.query.transaction().execute(async (query) => {
        await lockSchema(query)
        await migrateTo(query, kind, wanted)
      })
    await prepareSchemaLock(database.query, kind)
    await assert.rejects(to({ names: [...names, next.name] }), {
      code: 'schema-too-new',
      message: /^The database was migrated by a newer version of Ratafia \(0098-next\): /,
    })
    await to({ migrations: newer, names })
    assert.deepEqual(await migrationsDone(database.query, kind), names)
    await to({ migrations: newer })
    assert.deepEqual(await migrationsDone(database.query, kind), [...names, next.name])
    await assert.rejects(to({ migrations: newer, names }), {
      code: 'schema-too-new',
      message: 'The database has a newer schema (0098-next) than requested. Use a new database.',
    })
  })
})

eachDatabase((kind, _open, { openEmpty }) => {
  test('refuses a database from before the first release without creating anything in it', async () => {
    const database = await openEmpty()
    const { query } = database
    await sql`create table schema_migration (name text not null primary key)`.execute(query)
    await sql`insert into schema_migration (name) values ('0001-first'), ('0002-brands')`.execute(query)
    const expected = {
      name: 'SchemaError',
      code: 'schema-too-old',
      message:
        'The database was created before the first release of Ratafia, and releases cannot use it. Nothing in it was ' +
        'changed. Start with a new database: set RATAFIA_DATA_DIR or RATAFIA_DATABASE_URL.',
    }
    await assert.rejects(migrate(database), expected)
    await assert.rejects(planMigrations(database, kind), expected)
    await assert.rejects(requireCurrentSchema(database), expected)
    await assert.rejects(schemaState(database), expected)
    await assert.rejects(requireFitDatabase(database), expected)
    await assert.rejects(sql`select 1 from schema_lock`.execute(query), /schema_lock/)
  })
})
