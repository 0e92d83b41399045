import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import { asSuperuser, eachDatabase } from '../../test/support/databases.ts'
import { eventually } from '../../test/support/eventually.ts'
import { silenceable } from '../../test/support/silenceable.ts'
import { Unavailable } from '../errors.ts'
import { type Database, type DatabaseTarget, inTransaction, openDatabase } from './index.ts'
import type { PostgresLimits } from './postgres/limits.ts'

const one = sql<{ one: number }>`select 1 as one`

eachDatabase((kind, open, { target }) => {
  test('a statement outside the transaction that waits for it is Unavailable on SQLite, and works on PostgreSQL', async () => {
    await open()
    const where = await target()
    const database = await openDatabase(where.kind === 'sqlite' ? { ...where, patienceMs: 300 } : where)
    const work = inTransaction(database.query, () => one.execute(database.query))
    if (kind === 'sqlite') {
      const message = 'The database cannot be used: the connection was not free for 300 ms'
      await assert.rejects(work, { name: 'Unavailable', message })
    } else {
      await work
    }
    assert.deepEqual((await one.execute(database.query)).rows, [{ one: 1 }])
    await database.close()
  })

  test('work that still runs when the database is closed gets Unavailable', async () => {
    await open()
    const database = await openDatabase(await target())
    await Promise.all([database.close(), database.close()])
    await assert.rejects(one.execute(database.query), Unavailable)
    await assert.rejects(
      inTransaction(database.query, (transaction) => one.execute(transaction)),
      Unavailable,
    )
  })

  if (kind === 'sqlite') {
    test("waits for another process's lock, and is Unavailable after a time", async () => {
      await open()
      const where = await target()
      assert.ok(where.kind === 'sqlite')
      const patient = await openDatabase({ ...where, patienceMs: 120_000 })
      const database = await openDatabase({ ...where, patienceMs: 1_000 })
      const other = new DatabaseSync(where.file)
      const writeTo = ({ query }: Database) =>
        query.insertInto('package').values({ name: 'n', snap_id: 'i' }).execute()
      const write = () => writeTo(database)

      other.exec('begin immediate')
      const waiting = writeTo(patient)
      setTimeout(() => other.exec('commit'), 300)
      await waiting
      await patient.close()

      other.exec('begin immediate')
      const started = performance.now()
      await assert.rejects(write(), { name: 'Unavailable', message: /database is locked/ })
      await assert.rejects(
        inTransaction(database.query, async () => {}),
        { name: 'Unavailable', message: /database is locked/ },
      )
      assert.ok(performance.now() - started > 2_000)
      other.exec('rollback')
      other.close()
      await one.execute(database.query)
      await database.close()
    })

    test('while another process holds the lock, reads are answered and waiting writes share the wait', async () => {
      await open()
      const where = await target()
      assert.ok(where.kind === 'sqlite')
      const database = await openDatabase({ ...where, patienceMs: 2_000 })
      const other = new DatabaseSync(where.file)
      const write = (name: string) =>
        inTransaction(database.query, (tx) =>
          tx.insertInto('package').values({ name, snap_id: name }).execute(),
        )
      const alone = () => database.query.insertInto('package').values({ name: 'z', snap_id: 'z' }).execute()

      other.exec('begin immediate')
      const order: string[] = []
      const noted = (what: string, work: Promise<unknown>) => work.then(() => order.push(what))
      const writes = [noted('a', write('a')), noted('b', write('b')), noted('alone', alone())]
      for (let i = 0; i < 20; i++) await noted('read', one.execute(database.query))
      assert.deepEqual(order, Array(20).fill('read'))
      other.exec('commit')
      await Promise.all(writes)
      assert.deepEqual(order.slice(20), ['a', 'b', 'alone'])

      other.exec('begin immediate')
      const refused = await Promise.allSettled([write('c'), write('d'), alone(), write('e')])
      assert.deepEqual(
        refused.map((each) => each.status === 'rejected' && each.reason.name),
        Array(4).fill('Unavailable'),
      )
      other.exec('rollback')
      await write('f')
      other.close()
      await database.close()
    })
    return
  }

  const limited = async (limits: Partial<PostgresLimits>): Promise<DatabaseTarget> => {
    const where = await target()
    assert.ok(where.kind === 'postgres')
    return { ...where, limits }
  }

  const terminate = async () => {
    const where = await target()
    assert.ok(where.kind === 'postgres')
    const name = new URL(where.url).pathname.slice(1)
    await asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  }

  /** Whether the server is running a statement with this text. */
  const isRunning = async (text: string): Promise<boolean> => {
    let running = false
    await asSuperuser(async (client) => {
      const like = `%${text}%`
      const { rowCount } = await client.query(
        "select from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and query like $1",
        [like],
      )
      running = rowCount === 1
    })
    return running
  }

  test('closing waits for a running statement, whose answer is still valid', async () => {
    await open()
    const database = await openDatabase(await target())
    // Takes longer than an answer can rely on the previous heartbeat.
    const slow = sql`select 1 as one from pg_sleep(1)`.execute(database.query)
    await eventually('it runs', () => database.pool().open > database.pool().idle)
    const [{ rows }] = await Promise.all([slow, database.close()])
    assert.deepEqual(rows, [{ one: 1 }])
  })

  test('replaces an idle connection that the server closed: at most one statement is Unavailable', async () => {
    const database = await open()
    await one.execute(database.query)
    await terminate()
    await one.execute(database.query).catch((error: unknown) => assert.ok(error instanceof Unavailable))
    assert.deepEqual((await one.execute(database.query)).rows, [{ one: 1 }])
  })

  test('a statement that the server terminated is Unavailable, and the next one works', async () => {
    const database = await open()
    const slow = sql`select pg_sleep(30)`.execute(database.query)
    const refused = assert.rejects(slow, { name: 'Unavailable', message: /terminating connection/ })
    await eventually('it runs', () => isRunning('pg_sleep(30)'))
    await terminate()
    await refused
    assert.deepEqual((await one.execute(database.query)).rows, [{ one: 1 }])
  })

  test('a transaction whose connection is lost half-way is Unavailable and stores nothing', async () => {
    const database = await open()
    const lost = inTransaction(database.query, async (transaction) => {
      await transaction.insertInto('package').values({ name: 'lost', snap_id: 'lost' }).execute()
      await terminate()
      await transaction.insertInto('package').values({ name: 'lost2', snap_id: 'lost2' }).execute()
    })
    await assert.rejects(lost, Unavailable)
    const lostAtCommit = inTransaction(database.query, async (transaction) => {
      await transaction.insertInto('package').values({ name: 'lost', snap_id: 'lost' }).execute()
      await terminate()
    })
    await assert.rejects(lostAtCommit, Unavailable)
    assert.deepEqual(await database.query.selectFrom('package').select('name').execute(), [])
  })

  test("a transaction's decision counts only if its connection lasts until the end", async () => {
    const database = await open()
    const decision = new Error('there is none')
    const lostAtTheEnd = inTransaction(database.query, async (transaction) => {
      await one.execute(transaction)
      await terminate()
      throw decision
    })
    await assert.rejects(lostAtTheEnd, Unavailable)
    const hidden = inTransaction(database.query, async (transaction) => {
      await terminate()
      await one.execute(transaction).catch(() => {})
      throw decision
    })
    await assert.rejects(hidden, Unavailable)
  })

  test('a statement over its time limit is Unavailable', async () => {
    // Opening the database also runs statements, which can be slow on a busy machine.
    const database = await openDatabase(await limited({ statementMs: 2_000 }))
    await assert.rejects(sql`select pg_sleep(60)`.execute(database.query), {
      name: 'Unavailable',
      message: /statement timeout/,
    })
    await database.close()
  })

  test('a statement that waits too long for a lock is Unavailable', async () => {
    const holder = await open()
    const database = await openDatabase(await limited({ lockMs: 100 }))
    await inTransaction(holder.query, async (transaction) => {
      await transaction.insertInto('package').values({ name: 'held', snap_id: 'held' }).execute()
      await assert.rejects(
        database.query.insertInto('package').values({ name: 'held', snap_id: 'held' }).execute(),
        { name: 'Unavailable', message: /lock timeout/ },
      )
    })
    await database.close()
  })

  test('waiting for a connection is Unavailable when all are in use', async () => {
    // This is also the limit for opening one, which takes a while on a busy machine.
    const limits = { maxConnections: 1, connectMs: 1_000 }
    const database = await openDatabase(await limited(limits))
    const slow = sql`select pg_sleep(3)`.execute(database.query)
    await assert.rejects(one.execute(database.query), { name: 'Unavailable', message: /timeout exceeded/ })
    await slow
    await one.execute(database.query)
    await database.close()
  })

  test('notices a silent network and recovers when it is back', async (context) => {
    const where = await target()
    assert.ok(where.kind === 'postgres')
    const proxy = await silenceable(new URL(where.url))
    // Long enough for a busy machine to connect before the silence and after it.
    const limits = { connectMs: 2_000, answerMs: 1_000 }
    const database = await openDatabase({ kind: 'postgres', url: proxy.url, limits })
    context.after(async () => {
      proxy.close()
      await database.close()
    })
    proxy.silence(true)
    await assert.rejects(one.execute(database.query), { name: 'Unavailable', message: /Query read timeout/ })
    await assert.rejects(one.execute(database.query), { name: 'Unavailable', message: /connection timeout/ })
    proxy.silence(false)
    assert.deepEqual((await one.execute(database.query)).rows, [{ one: 1 }])
  })
})
