import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { eachDatabase } from '../../test/support/databases.ts'
import { compiledOnce, type Database, inTransaction } from './index.ts'

let built = 0
const add = compiledOnce((query, { name, id }: { name: string; id: string }) =>
  query.insertInto('package').values({ name, snap_id: id }),
)
const find = compiledOnce((query, { name }: { name: string }) => {
  built++
  return query.selectFrom('package').selectAll().where('name', '=', name).where('snap_id', '<>', 'fixed')
})
const rename = compiledOnce((query, { name, id }: { name: string; id: string | null }) =>
  query.updateTable('package').set({ name }).where('snap_id', '=', id).returning('name'),
)

eachDatabase((_kind, open) => {
  let database: Database
  before(async () => {
    built = 0
    database = await open()
  })

  test('builds a statement once and gives each run its own values', async () => {
    const { query } = database
    assert.equal((await add(query, { name: 'moon', id: 'm1' })).numAffectedRows, 1n)
    await add(query, { name: 'sun', id: 's1' })
    assert.deepEqual((await find(query, { name: 'moon' })).rows, [{ name: 'moon', snap_id: 'm1' }])
    assert.deepEqual((await find(query, { name: 'sun' })).rows, [{ name: 'sun', snap_id: 's1' }])
    assert.deepEqual((await find(query, { name: 'none' })).rows, [])
    assert.equal(built, 1)
  })

  test('runs as part of a transaction', async () => {
    const { query } = database
    const undone = inTransaction(query, async (transaction) => {
      assert.deepEqual((await rename(transaction, { name: 'star', id: 's1' })).rows, [{ name: 'star' }])
      assert.equal((await find(transaction, { name: 'star' })).rows.length, 1)
      throw new Error('undone')
    })
    await assert.rejects(undone, /undone/)
    assert.equal((await find(query, { name: 'star' })).rows.length, 0)
    assert.deepEqual((await rename(query, { name: 'star', id: null })).rows, [])
    assert.equal(built, 1)
  })

  test('refuses a value on the first run if the statement does not get it unchanged', () => {
    const later = compiledOnce((query, { at }: { at: Date }) =>
      query.selectFrom('package').selectAll().where('name', '=', at.toISOString()),
    )
    assert.throws(() => later(database.query, { at: new Date() }), TypeError)
  })
})
