/**
 * Work that waits for another process's lock reports the wait and the holder, and continues when the lock is
 * free. On PostgreSQL, work that locks whole tables lets the statements queued behind it pass meanwhile.
 */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { eachDatabase } from '../../test/support/databases.ts'
import { wholeDatabaseStore } from '../backup/whole-database-store.ts'
import {
  type Database,
  type DatabaseTarget,
  inSnapshot,
  inTransaction,
  migrate,
  openDatabase,
} from './index.ts'
import type { Migration } from './schema/migration.ts'
import { migrations } from './schema/migrations/index.ts'

const altering: Migration = {
  name: '9000-altering',
  statements: () => ['alter table package add column one text', 'alter table account add column one text'],
}
const migrateMore = (database: Database) => migrate(database, { migrations: [...migrations, altering] })

const restore = (database: Database) =>
  wholeDatabaseStore(database, () => {
    throw new Done()
  }).replace(() => Promise.resolve())
/** Aborts a restore once it has its locks. */
class Done extends Error {}

const importing = (database: Database) =>
  database.unhurried((query) =>
    inTransaction(query, (on) => on.updateTable('package').set({ snap_id: 'b' }).execute()),
  )

const backup = (database: Database) =>
  inSnapshot(database, (query) => query.selectFrom('account').select('id').execute())

interface Waiting {
  readonly what: string
  readonly work: (database: Database) => Promise<unknown>
  /** The statement that the other process runs in its transaction. */
  readonly holds: string
  readonly waitsFor: RegExp
}

const ON_POSTGRES: readonly Waiting[] = [
  {
    what: 'a migration behind another',
    work: migrateMore,
    holds: 'update schema_lock set id = 1',
    waitsFor: /the table schema_lock|a row/,
  },
  {
    what: 'a migration behind a reader',
    work: migrateMore,
    holds: 'select from account',
    waitsFor: /the table account/,
  },
  {
    what: 'a restore behind a reader',
    work: restore,
    holds: 'select from account',
    waitsFor: /the table account/,
  },
  {
    what: 'a restore behind a migration',
    work: restore,
    holds: 'update schema_lock set id = 1',
    waitsFor: /the table schema_lock|a row/,
  },
  {
    what: 'an import behind a change',
    work: importing,
    holds: "update package set snap_id = 'c'",
    waitsFor: /the table package|a row/,
  },
  {
    what: 'a backup behind a migration',
    work: backup,
    holds: 'lock table account in access exclusive mode',
    waitsFor: /the table account/,
  },
]

const ON_SQLITE = [
  { what: 'a migration', work: migrateMore },
  { what: 'a restore', work: restore },
  { what: 'an import', work: importing },
  { what: 'a change', work: (database: Database) => add(database.query, 'x') },
]

eachDatabase((kind, open, { target }) => {
  test('during an import the process still reads, and writes once the import is done', async () => {
    const database = await open()
    const write = async (query: Database['query'], snapId: string) => {
      await query.updateTable('package').set({ snap_id: snapId }).where('name', '=', 'beside').execute()
    }
    const read = async () => {
      const rows = database.query.selectFrom('package').select('snap_id').where('name', '=', 'beside')
      return (await rows.executeTakeFirstOrThrow()).snap_id
    }
    await add(database.query, 'beside')
    const written = Promise.withResolvers<void>()
    const { promise: end, resolve: endImport } = Promise.withResolvers<void>()
    const imported = database.unhurried((query) =>
      inTransaction(query, async (on) => {
        await write(on, 'imported')
        written.resolve()
        await end
      }),
    )
    await written.promise
    const later = write(database.query, 'later')
    const meanwhile = await read().finally(endImport)
    await imported
    await later
    assert.deepEqual([meanwhile, await read()], ['beside', 'later'])
    await database.query.deleteFrom('package').where('name', '=', 'beside').execute()
  })

  if (kind === 'sqlite') {
    for (const { what, work } of ON_SQLITE) {
      test(`${what} behind a writer reports that it waits, and for which file`, async () => {
        await open()
        const where = await target()
        assert.ok(where.kind === 'sqlite')
        const other = new DatabaseSync(where.file)
        other.exec('begin immediate')
        const { database, said } = await listening(where)
        const done = settled(work(database))
        const sentence = await said
        other.exec('rollback')
        other.close()
        assert.equal(sentence, `waiting for ${where.file}, which another process is writing to`)
        await done
        await database.close()
      })
    }
    return
  }

  /** Connects like another process, in a transaction. */
  const holder = async (statement: string) => {
    const where = await target()
    assert.ok(where.kind === 'postgres')
    const client = new pg.Client({ connectionString: where.url, application_name: 'the reader' })
    await client.connect()
    await client.query('begin')
    await client.query(statement)
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return { client, pid: Number(rows[0]?.pid) }
  }

  describe('waits', { concurrency: false }, () => {
    for (const { what, work, holds, waitsFor } of ON_POSTGRES) {
      test(`${what} names the lock and the process that holds it`, async () => {
        await add((await open()).query, 'waits')
        const { client, pid } = await holder(holds)
        const { database, said } = await listening(await target())
        const done = settled(work(database))
        const sentence = await said
        await client.query('rollback')
        await client.end()
        await done
        await database.close()
        assert.match(sentence, waitsFor)
        assert.match(
          sentence,
          new RegExp(
            `^waiting for a lock on .*, held by process ${pid} of PostgreSQL \\(the reader, idle in transaction`,
          ),
        )
        await undo(await open())
      })
    }

    test('others read and write the same tables while a migration waits for a reader', async () => {
      const node = await open()
      const { client } = await holder('select from account')
      const { database, said } = await listening(await target())
      const done = migrateMore(database)
      await said
      // Each would queue behind the migration, and all of them for as long as the reader takes.
      for (let i = 0; i < 20; i++) {
        await node.query.selectFrom('account').select('id').execute()
        await add(node.query, `meanwhile-${i}`)
      }
      await client.query('commit')
      await client.end()
      assert.deepEqual(await done, [altering.name])
      await database.close()
      await undo(node)
    })

    test('a migration retries after a deadlock with a reader until it is done', async () => {
      const node = await open()
      const { client } = await holder('select from account')
      const { database, said } = await listening(await target())
      const done = migrateMore(database)
      await said
      // The migration has locked one table and waits for the other; the reader now asks for the first.
      const ends = await client.query('select from package').then(
        () => 'commit',
        () => 'rollback',
      )
      await client.query(ends)
      await client.end()
      assert.deepEqual(await done, [altering.name])
      await database.close()
      await undo(node)
    })
  })
})

/** Opens a client of the database, with the first sentence about one of its waits. */
async function listening(target: DatabaseTarget) {
  const { promise: said, resolve } = Promise.withResolvers<string>()
  return { database: await openDatabase(target, undefined, resolve), said }
}

/** Waits for `work`. A restore here ends with {@link Done}, and its transaction is rolled back. */
const settled = (work: Promise<unknown>) =>
  work.catch((error: unknown) => {
    if (!(error instanceof Done)) throw error
  })

const add = (query: Database['query'], name: string) =>
  query
    .insertInto('package')
    .values({ name, snap_id: name })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

async function undo({ query }: Database): Promise<void> {
  await sql`delete from schema_migration where name = ${altering.name}`.execute(query)
  for (const table of ['package', 'account']) {
    await sql.raw(`alter table ${table} drop column if exists one`).execute(query)
  }
}
