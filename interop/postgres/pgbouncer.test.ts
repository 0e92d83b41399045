/**
 * Guarantee: behind a PgBouncer in transaction mode the service works as usual, every statement has its time limit,
 * and revocations are in force, whether the listener connects directly or not. The PgBouncer is Debian's, with its
 * default settings and with the setting that `docs/operations/deploy.md` describes.
 */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { type Database, inTransaction, openDatabase } from '../../packages/server/src/database/index.ts'
import { asSuperuser, eachDatabase, PATIENT } from '../../packages/server/test/support/databases.ts'
import { startNode, type TestNode } from '../../packages/server/test/support/nodes.ts'
import { addPerson, logIn, revokeOwn, whoami } from '../../packages/server/test/support/service.ts'
import { type PgBouncer, startPgBouncer } from './support/pgbouncer.ts'

const IGNORING =
  'ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout'

/**
 * How long a statement may take, and how long a transaction may wait between two statements. A slow machine needs more
 * than a few hundred milliseconds.
 */
const LIMIT_MS = 3_000

async function refusal(node: TestNode, token: string): Promise<number> {
  for (const end = performance.now() + 2_500; ; await sleep(10)) {
    const status = await whoami(node, token)
    if (status !== 200 || performance.now() > end) return status
  }
}

for (const [how, settings] of [
  ['with its default settings', []],
  ['that ignores the limits', [IGNORING]],
] as const) {
  suite(`a PgBouncer ${how}`, () => {
    eachDatabase((kind, _open, fresh) => {
      if (kind === 'sqlite') return
      let bouncer: PgBouncer
      let direct: string
      const closing: (() => Promise<void>)[] = []
      before(async () => {
        const target = await fresh.target()
        assert.ok(target.kind === 'postgres')
        direct = target.url
        bouncer = await startPgBouncer(direct, settings)
        process.stdout.write(`# ${bouncer.version}\n`)
      })
      after(async () => {
        for (let close = closing.pop(); close; close = closing.pop()) await close()
        await bouncer.close()
      })
      const start = async (listenUrl: string) => {
        const node = await startNode({ kind: 'postgres', url: bouncer.url, listenUrl, limits: PATIENT })
        closing.push(() => node.close())
        return node
      }
      const open = async (statementMs: number): Promise<Database> => {
        const limits = { statementMs, lockMs: statementMs }
        const database = await openDatabase({ kind: 'postgres', url: bouncer.url, limits })
        closing.push(() => database.close())
        return database
      }

      for (const [listener, listenUrl] of [
        ['that connects directly', () => direct],
        ['through PgBouncer, which does not pass on notifications', () => bouncer.url],
      ] as const) {
        test(`tokens are created, used and revoked with a listener ${listener}`, async () => {
          const [one, other] = [await start(listenUrl()), await start(listenUrl())]
          // More at once than PgBouncer has connections to the server.
          const tokens = await Promise.all(
            Array.from({ length: 20 }, async () => logIn(one, await addPerson(one, undefined))),
          )
          for (let round = 0; round < 3; round++) {
            const answers = await Promise.all(
              tokens.flatMap((token) => [whoami(one, token), whoami(other, token)]),
            )
            assert.deepEqual(new Set(answers), new Set([200]))
            await sleep(300)
          }
          const [token = ''] = tokens
          await revokeOwn(one, token)
          assert.equal(await whoami(one, token), 401)
          assert.equal(await refusal(other, token), 401)
        })
      }

      test('the server cancels a statement over its limit, alone or in a transaction', async () => {
        const { query } = await open(LIMIT_MS)
        const slow = sql`select pg_sleep(30)`
        const refused = { name: 'Unavailable', message: /statement timeout/ }
        await assert.rejects(slow.execute(query), refused)
        await assert.rejects(
          inTransaction(query, (transaction) => slow.execute(transaction)),
          refused,
        )
        await sql`select 1`.execute(query)
      })

      test('transactions that use all its connections to the server finish without a new heartbeat', async () => {
        const { query } = await open(5_000)
        // Longer than answers can rely on the previous heartbeat.
        const slow = sql`select pg_sleep(1)`
        const both = Array.from({ length: 2 }, () =>
          inTransaction(query, (transaction) => slow.execute(transaction)),
        )
        await Promise.all(both)
        await Promise.all([slow.execute(query), slow.execute(query)])
      })

      test('the limits do not stay on connections that others use', async () => {
        const { query } = await open(LIMIT_MS)
        await sql`select 1`.execute(query)
        // Another program, which does not set a limit, uses both connections to the server at the same time.
        await Promise.all(
          [1, 2].map(async () => {
            const other = new pg.Client(bouncer.url)
            await other.connect()
            await other.query('select pg_sleep($1)', [(LIMIT_MS + 500) / 1_000]).finally(() => other.end())
          }),
        )
      })

      test('an idle transaction is ended, and its locks are released', async () => {
        const idle = await open(300)
        const { query } = await open(5_000)
        const key = { name: 'locked', snap_id: 'locked' }
        const left = inTransaction(idle.query, async (transaction) => {
          await transaction.insertInto('package').values(key).execute()
          await sleep(2_000)
        })
        const failed = assert.rejects(left)
        await sleep(100)
        await query.insertInto('package').values(key).execute()
        await failed
      })
    })
  })
}

test('a PgBouncer in statement mode, which has no transactions, is refused with the reason', async () => {
  const bouncer = await startPgBouncer(process.env['RATAFIA_TEST_POSTGRES_URL'] ?? '', [
    'pool_mode = statement',
  ])
  try {
    await assert.rejects(openDatabase({ kind: 'postgres', url: bouncer.url }), {
      name: 'Unavailable',
      message: /transaction blocks not allowed in statement pooling mode/,
    })
  } finally {
    await bouncer.close()
  }
})

test('with limits set on the role, statements do not set their own', async () => {
  const password = 'bounced'
  await asSuperuser(`create role bounced login password '${password}'`)
  try {
    for (const [name, value] of [
      ['statement_timeout', '10s'],
      ['lock_timeout', '5s'],
      ['idle_in_transaction_session_timeout', '10s'],
    ]) {
      await asSuperuser(`alter role bounced set ${name} = '${value}'`)
    }
    const url = new URL(process.env['RATAFIA_TEST_POSTGRES_URL'] ?? '')
    url.username = 'bounced'
    url.password = password
    const bouncer = await startPgBouncer(url.href)
    const database = await openDatabase({ kind: 'postgres', url: bouncer.url })
    const { rows } = await sql<{ in_transaction: boolean }>`
      select transaction_timestamp() <> statement_timestamp() as in_transaction`.execute(database.query)
    assert.deepEqual(rows, [{ in_transaction: false }])
    await database.close()
    await bouncer.close()
  } finally {
    await asSuperuser('drop role bounced')
  }
})
