/**
 * Guarantee: everything that works on undivided tables works on tables that PostgreSQL divides into partitions: all
 * suites of stores and statements, retention, backups and checks, registrations and sessions, and the commands on
 * devices. `packages/server/test/devices/plans.db.test.ts` tests which partitions a statement reads.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { type Database, migrate, openDatabase } from '../../packages/server/src/database/index.ts'
import { asSuperuser } from '../../packages/server/test/support/databases.ts'
import { testProgram } from '../../packages/server/test/support/program.ts'
import { SHARDED } from '../../packages/server/test/support/sharded-tables.ts'

const PARTITIONS = 32

const SUITES = [
  'packages/server/src/**/*.db{,.*}.test.ts',
  'packages/server/test/{devices,upkeep}/*.db{,.*}.test.ts',
  'packages/server/test/management/device-lists.db.test.ts',
  'packages/server/test/devices/{registration,registration-policies,waiting}.test.ts',
  'packages/server/test/devices/{sessions,sessions-refresh,sessions-clones}.test.ts',
  'packages/server/test/cli/{devices-transfer,remove}.test.ts',
]

/** Other tests in the same files have no partitioned database. */
const ON_POSTGRES = '--test-name-pattern=^postgres$'

test('the suites of all stores and of devices pass', { timeout: 1_800_000 }, async () => {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'tools/test/main.ts', ON_POSTGRES, ...globSync(SUITES)],
    {
      // Otherwise the children report in the format for the runner of this test.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, RATAFIA_TEST_PARTITIONS: String(PARTITIONS) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [report, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  assert.equal(code, 0, report.slice(report.indexOf('✖ failing tests')))
  const passed = [...report.matchAll(/^ℹ pass (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0)
  assert.ok(passed > 300, `${passed} tests`)
})

suite('ratafia migrate --partitions', () => {
  let url: URL
  let database: Database
  const program = testProgram()
  before(async () => {
    url = new URL(process.env['RATAFIA_TEST_POSTGRES_URL'] ?? '')
    url.pathname = '/divided'
    await asSuperuser('create database divided')
    database = await openDatabase({ kind: 'postgres', url: url.href })
  })
  after(async () => {
    await database.close()
    await asSuperuser('drop database divided with (force)')
  })
  const run = (...words: string[]) =>
    program.run(['migrate', ...words], {
      environment: {
        RATAFIA_DATABASE_URL: url.href,
        RATAFIA_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      },
    })
  const divided = async () => {
    const { rows } = await sql<{ name: string; count: number }>`
      select inhparent::regclass::text as name, count(*)::integer as count
      from pg_inherits join pg_class on pg_class.oid = inhparent where relkind = 'p' group by inhparent
    `.execute(database.query)
    return new Map(rows.map(({ name, count }) => [name, count]))
  }

  test('shows its statements, divides the device tables, and leaves them unchanged from then on', async () => {
    const planned = await run('--plan', '--partitions', String(PARTITIONS))
    assert.match(planned.stdout, /create table device_31 partition of device\s/)
    assert.deepEqual(await divided(), new Map())
    assert.equal((await run('--partitions', String(PARTITIONS))).code, 0)
    assert.deepEqual(
      [...(await divided())].sort(),
      SHARDED.toSorted().map((name) => [name, PARTITIONS]),
    )
    assert.equal((await run('--partitions', String(PARTITIONS))).stdout, 'The database is up to date.\n')
    const { code, stderr } = await run('--partitions', '8')
    assert.equal(code, 4)
    assert.match(
      stderr,
      /exist, with 32 partitions\. To change that, back up the database and restore it into a new/,
    )
    assert.deepEqual(await migrate(database), [])
  })

  test('refuses SQLite and invalid numbers', async () => {
    const embedded = await program.run(['migrate', '--partitions', '32'])
    assert.equal(embedded.code, 4)
    assert.match(embedded.stderr, /The embedded database has no partitions/)
    for (const count of ['1', '257', 'x', '-2']) {
      const { code, stderr } = await run('--partitions', count)
      assert.deepEqual([code, /is not a number from 2 to 256\./.test(stderr)], [2, true], stderr)
    }
  })
})
