import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { eachDatabase } from '../../../test/support/databases.ts'
import { type Database, inTransaction, openDatabase } from '../index.ts'
import { PreparedNames } from './postgres.ts'

eachDatabase((kind, open, { target }) => {
  let database: Database
  let other: Database
  before(async () => {
    ;[database, other] = [await open(), await open()]
    await database.query.insertInto('package').values({ name: 'moon', snap_id: 'm1' }).execute()
  })

  test('a prepared statement still runs after its table has changed, alone and in a transaction', async () => {
    const find = (query: Database['query']) =>
      query.selectFrom('package').selectAll().where('name', '=', 'moon').execute()
    const findIn = () => inTransaction(database.query, find)
    await find(database.query)
    await findIn()
    for (const [column, run] of [
      ['first', () => find(database.query)],
      ['second', findIn],
    ] as const) {
      await sql.raw(`alter table package add column ${column} text`).execute(other.query)
      assert.ok(column in ((await run())[0] ?? {}))
    }
  })

  if (kind === 'sqlite') return

  test('a connection prepares a statement once, and keeps none that is rare or has a long list', async () => {
    const at = await target()
    assert.ok(at.kind === 'postgres')
    const single = await openDatabase({ ...at, limits: { maxConnections: 1 } })
    const { query } = single
    try {
      const list = (length: number) =>
        query
          .selectFrom('package')
          .select('name')
          .where('snap_id', 'in', Array.from({ length }, String))
          .execute()
      const kept = async () => {
        const { rows } = await sql<{
          statement: string
        }>`select statement from pg_prepared_statements`.execute(query)
        return rows.map(({ statement }) => statement)
      }
      await list(2)
      await list(2)
      await list(500)
      assert.deepEqual(await kept(), ['select "name" from "package" where "snap_id" in ($1, $2)'])
      for (let n = 0; n < 500; n++) await sql`select ${'x'}::text as ${sql.ref(`name_${n}`)}`.execute(query)
      assert.equal((await kept()).length, 400)
    } finally {
      await single.close()
    }
  })
})

test('Guarantee: two statements never share a name, and an outdated name is never used again', () => {
  const names = new PreparedNames()
  const [one, two] = [names.nameOf('select $1', [1]), names.nameOf('select $1, $1', [1])]
  assert.notEqual(one, two)
  assert.equal(names.nameOf('select $1', [2]), one)
  names.forget()
  assert.notEqual(names.nameOf('select $1', [1]), one)
})
