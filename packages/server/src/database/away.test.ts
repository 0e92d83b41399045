import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, suite, test } from 'node:test'
import { sql } from 'kysely'
import { asSuperuser, eachDatabase } from '../../test/support/databases.ts'
import { Unavailable } from '../errors.ts'
import { translateAway } from './away.ts'
import { type DatabaseTarget, inTransaction, openDatabase } from './index.ts'
import type { PostgresLimits } from './postgres.ts'

const one = sql<{ one: number }>`select 1 as one`

suite('which errors mean that the database is away', () => {
  const coded = (code: string, message = 'from the driver') => Object.assign(new Error(message), { code })
  const sqlite = (errcode: number) =>
    Object.assign(new Error('from the driver'), { code: 'ERR_SQLITE_ERROR', errcode })
  const away = [
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'].map((code) =>
      coded(code),
    ),
    ...['08006', '53300', '57P01', '57P03', '57014', '58030', '25006', '40001', '40P01', '28P01'].map((c) =>
      coded(c),
    ),
    new Error('Connection terminated unexpectedly'),
    new Error('Query read timeout'),
    // SQLITE_BUSY, _READONLY, _IOERR_WRITE (extended), _CORRUPT, _FULL, _CANTOPEN, _NOTADB.
    ...[5, 8, 778, 11, 13, 14, 26].map(sqlite),
  ]
  const own = [
    ...['23505', '23503', '23502', '42P01', '42601', '22021', '25P02'].map((code) => coded(code)),
    ...[1, 19, 2067, 1555, 787, 20].map(sqlite),
    new Error('boom'),
    'no error at all',
    undefined,
  ]
  for (const error of away) {
    test(`away: ${JSON.stringify({ ...error })} ${error.message}`, () => {
      const translated = translateAway(error)
      assert.ok(translated instanceof Unavailable)
      assert.equal(translated.message, `The database cannot be used: ${error.message}`)
      assert.equal(translated.cause, error)
      assert.equal(translateAway(translated), translated)
    })
  }
  for (const error of own) {
    test(`not away: ${error instanceof Error ? `${JSON.stringify({ ...error })} ${error.message}` : error}`, () => {
      assert.equal(translateAway(error), error)
    })
  }
})

eachDatabase((kind, open, { target }) => {
  test('a statement outside of the transaction that waits for itself ends as Unavailable or works', async () => {
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

  if (kind === 'sqlite') {
    test('a lock that another process holds is waited for, and is Unavailable after a time', async () => {
      await open()
      const where = await target()
      assert.ok(where.kind === 'sqlite')
      const database = await openDatabase({ ...where, patienceMs: 1_000 })
      const other = new DatabaseSync(where.file)
      const write = () => database.query.insertInto('package').values({ name: 'n', snap_id: 'i' }).execute()

      other.exec('begin immediate')
      const patient = write()
      setTimeout(() => other.exec('commit'), 300)
      await patient

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

  test('a connection that the server ended while idle is replaced: at most one statement is Unavailable', async () => {
    const database = await open()
    await one.execute(database.query)
    await terminate()
    await one.execute(database.query).catch((error: unknown) => assert.ok(error instanceof Unavailable))
    assert.deepEqual((await one.execute(database.query)).rows, [{ one: 1 }])
  })

  test('a statement that the server ended is Unavailable, and the next one works', async () => {
    const database = await open()
    const slow = sql`select pg_sleep(30)`.execute(database.query)
    const refused = assert.rejects(slow, { name: 'Unavailable', message: /terminating connection/ })
    await new Promise((resolve) => setTimeout(resolve, 200))
    await terminate()
    await refused
    assert.deepEqual((await one.execute(database.query)).rows, [{ one: 1 }])
  })

  test('a transaction whose connection is lost half-way is Unavailable and leaves nothing behind', async () => {
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

  test('a statement over its time limit is Unavailable', async () => {
    const database = await openDatabase(await limited({ statementMs: 100 }))
    await assert.rejects(sql`select pg_sleep(5)`.execute(database.query), {
      name: 'Unavailable',
      message: /statement timeout/,
    })
    await database.close()
  })

  test('when every connection is taken, waiting for one ends as Unavailable', async () => {
    const limits = { maxConnections: 1, connectMs: 200 }
    const database = await openDatabase(await limited(limits))
    const slow = sql`select pg_sleep(1)`.execute(database.query)
    await assert.rejects(one.execute(database.query), { name: 'Unavailable', message: /timeout exceeded/ })
    await slow
    await one.execute(database.query)
    await database.close()
  })

  test('a network that falls silent is noticed, and the pool recovers when it is back', async () => {
    const where = await target()
    assert.ok(where.kind === 'postgres')
    const proxy = await silenceable(new URL(where.url))
    const limits = { connectMs: 300, answerMs: 300 }
    const database = await openDatabase({ kind: 'postgres', url: proxy.url, limits })
    proxy.silence(true)
    await assert.rejects(one.execute(database.query), { name: 'Unavailable', message: /Query read timeout/ })
    await assert.rejects(one.execute(database.query), { name: 'Unavailable', message: /connection timeout/ })
    proxy.silence(false)
    assert.deepEqual((await one.execute(database.query)).rows, [{ one: 1 }])
    await database.close()
    proxy.close()
  })
})

suite('a database that cannot be opened is Unavailable, with the reason', () => {
  test('connection refused', async () => {
    const url = 'postgres://user:hunter2@127.0.0.1:1/none'
    await assert.rejects(openDatabase({ kind: 'postgres', url }), (error: unknown) => {
      assert.ok(error instanceof Unavailable)
      assert.equal(error.message, 'The database cannot be used: connect ECONNREFUSED 127.0.0.1:1')
      return true
    })
  })

  test('a password that is not accepted is not quoted', async () => {
    const url = new URL(process.env['RATAFIA_TEST_POSTGRES_URL'] ?? '')
    url.password = 'hunter2'
    await assert.rejects(openDatabase({ kind: 'postgres', url: url.href }), (error: unknown) => {
      assert.ok(error instanceof Unavailable)
      assert.match(error.message, /password authentication failed/)
      assert.doesNotMatch(JSON.stringify({ ...error, cause: { ...(error.cause as Error) } }), /hunter2/)
      return true
    })
  })

  test('a file that is no database', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ratafia-test-'))
    after(() => rm(directory, { recursive: true }))
    const file = join(directory, 'ratafia.db')
    await writeFile(file, 'a text of more than the hundred bytes of a header. '.repeat(20))
    await chmod(file, 0o600)
    await assert.rejects(openDatabase({ kind: 'sqlite', file }), {
      name: 'Unavailable',
      message: 'The database cannot be used: file is not a database',
    })
    await assert.rejects(openDatabase({ kind: 'sqlite', file: join(file, 'below.db') }), {
      name: 'Unavailable',
    })
  })
})

/** Passes bytes to the server, or silently drops them. */
async function silenceable(server: URL) {
  const sockets = new Set<Socket>()
  let silent = false
  const listener = createServer((client) => {
    const upstream = connect(Number(server.port), server.hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => silent || to.write(chunk))
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  assert.ok(address !== null && typeof address === 'object')
  const url = new URL(server)
  url.port = String(address.port)
  return {
    url: url.href,
    silence: (value: boolean) => {
      silent = value
    },
    close: () => {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
