/**
 * Guarantee: a primary whose synchronous standby was promoted has no effect any more, even if it can be reached. Nodes
 * and commands leave it for the new primary, refuse everything revoked there, and acknowledge nothing on the old one.
 */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Postgres } from '../../faults/world/postgres.ts'
import { type Database, inTransaction, openDatabase } from '../../packages/server/src/database/index.ts'
import { eventually } from '../../packages/server/test/support/eventually.ts'
import type { TestNode } from '../../packages/server/test/support/nodes.ts'
import { testProgram } from '../../packages/server/test/support/program.ts'
import { addPerson, logIn, revokeOwn, whoami } from '../../packages/server/test/support/service.ts'
import { type PrimaryAndStandby, startPrimaryAndStandby, urlOfBoth } from './support/primary-and-standby.ts'

suite('a primary that was cut off', () => {
  let servers: PrimaryAndStandby
  let old: Postgres
  /** A node whose URL names only the old primary. */
  let only: TestNode
  const program = testProgram()
  before(async () => {
    servers = await startPrimaryAndStandby()
    old = servers.primary
  })
  after(() => servers.close())

  const command = (url: string, ...words: string[]) =>
    program.run(words, {
      environment: { RATAFIA_DATABASE_URL: url, RATAFIA_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') },
    })
  const waiting = async () => {
    const [row] = await old.query(
      `select count(*)::integer as count from pg_stat_activity where wait_event = 'SyncRep'`,
    )
    return Number(row?.['count'])
  }

  /** Cancels a commit while it waits for the standby: PostgreSQL then reports it as done, with a warning. */
  const endsUnconfirmed = async ({ query }: Database) => {
    const row = { name: 'cancelled', snap_id: 'cancelled' }
    const added = assert.rejects(query.insertInto('package').values(row).execute(), {
      name: 'Unavailable',
      message: /does not confirm writes: its synchronous standby is unavailable/,
    })
    const cancel = `select pg_cancel_backend(pid) from pg_stat_activity
      where wait_event = 'SyncRep' and query like 'insert into "package"%'`
    await eventually('it waits', async () => (await old.query(cancel)).length > 0)
    await added
  }

  /** Checks that a transaction that only reads fails as well, whether it commits or throws a refusal. */
  const decidesNothing = ({ query }: Database, refusal?: Error) => {
    const read = inTransaction(query, async (transaction) => {
      await transaction.selectFrom('package').selectAll().execute()
      if (refusal) throw refusal
    })
    return assert.rejects(read, { name: 'Unavailable' })
  }

  test('nodes leave it for the server that took over', async () => {
    const { standby, startNode } = servers
    const both = urlOfBoth(old, standby)
    const [one, other] = [await startNode(both), await startNode(both)]
    only = await startNode(old.url('postgres'))
    const [kept, revoked] = [await logIn(one, await addPerson(one)), await logIn(one, await addPerson(one))]
    for (const node of [one, other, only]) {
      for (const token of [kept, revoked]) assert.equal(await whoami(node, token), 200)
    }
    const open = () => openDatabase({ kind: 'postgres', url: old.url('postgres') })
    const idle: [Database, Database, Database] = [await open(), await open(), await open()]
    await standby.promote()
    await endsUnconfirmed(idle[0])
    // Wait until answers can no longer rely on the previous heartbeat.
    await sleep(1_000)
    await Promise.all([decidesNothing(idle[1]), decidesNothing(idle[2], new Error('there is no package'))])
    for (const database of idle) await database.close()
    const there = await startNode(standby.url('postgres'))
    await revokeOwn(there, revoked)
    const acknowledged = performance.now()

    const accepted: string[] = []
    const watch = async (node: TestNode) => {
      for (let refused = false; !refused || performance.now() < acknowledged + 6_000; await sleep(50)) {
        const sent = performance.now()
        const status = await whoami(node, revoked)
        if (status === 200 && sent > acknowledged + 1_000)
          accepted.push(`${Math.round(sent - acknowledged)} ms`)
        refused ||= status === 401 || node === only
      }
    }
    await Promise.all([one, other, only].map(watch))
    assert.deepEqual(accepted, [])
    for (const node of [one, other]) {
      assert.equal(await whoami(node, kept), 200)
      await logIn(node, await addPerson(node))
    }
    assert.equal(await whoami(only, kept), 503)
  })

  test('a command connects to the next host, and explains the problem if there is none', async () => {
    // Use settings that would let every commit finish, and hide the warning.
    for (const setting of ["synchronous_commit = 'local'", "client_min_messages = 'error'"]) {
      await old.query(`alter system set ${setting}`)
    }
    await old.query('select pg_reload_conf()')
    const found = await command(urlOfBoth(old, servers.standby), 'accounts', 'list', '--json')
    // The command warns if a host keeps it waiting.
    assert.match(found.stderr, /^(ratafia: warning: waiting for PostgreSQL, which does not answer\n)?$/)
    assert.equal(found.code, 0)
    const { code, stderr } = await command(old.url('postgres'), 'accounts', 'list')
    assert.equal(code, 3, stderr)
    assert.match(stderr, /does not confirm writes: its synchronous standby is unavailable, or has taken over/)
  })

  test('abandoned commits do not use up its processes', async () => {
    for (let round = 0; round < 2; round++) {
      const refused = await openDatabase({ kind: 'postgres', url: old.url('postgres') }).catch(
        (error) => error,
      )
      assert.ok(refused instanceof Error)
    }
    await only.close()
    // Each client that tries leaves one, in addition to the commits under way when the server was cut off.
    assert.ok((await waiting()) <= 6, `${await waiting()} wait`)
  })
})
