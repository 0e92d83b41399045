/**
 * Guarantee: every node refuses a revoked credential within a second of the acknowledgement, whatever fails. The
 * command `npm run bench -- revocation` measures the time. These tests only fail if a node does not refuse at all.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { DatabaseConfig } from '../../src/config/config.ts'
import { inTransaction, openDatabase } from '../../src/database/index.ts'
import { disableAccount, enableAccount } from '../support/accounts.ts'
import { byOperator } from '../support/changes.ts'
import { asSuperuser, eachDatabase } from '../support/databases.ts'
import {
  freshDeviceKeys,
  presentingSession,
  serialAssertion,
  sessionOf,
  withAcme,
} from '../support/devices.ts'
import { eventually } from '../support/eventually.ts'
import { startNode, type TestNode } from '../support/nodes.ts'
import { addPerson, bearing, call, logIn, revokeOwn } from '../support/service.ts'
import { silenceable } from '../support/silenceable.ts'

/** The promised second, and a margin for a busy machine. A silent connection would be given up later than this. */
const REFUSED_WITHIN_MS = 2_500

type Ask = (node: TestNode) => Promise<number>

const asking =
  (token: string): Ask =>
  async (node) =>
    (await call(node, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })).status

const verifying =
  (session: string): Ask =>
  async (node) =>
    (await call(node, 'GET', '/device-session', { headers: presentingSession(session) })).status

/** Asks until the status is not 200, and returns it. Returns 200 if that takes too long. */
async function refusal(node: TestNode, ask: Ask): Promise<number> {
  for (const end = performance.now() + REFUSED_WITHIN_MS; ; await sleep(10)) {
    const status = await ask(node)
    if (status !== 200 || performance.now() > end) return status
  }
}

eachDatabase((kind, _open, fresh) => {
  const nodes: TestNode[] = []
  const start = async (database: DatabaseConfig) => {
    const node = await startNode(database)
    nodes.push(node)
    return node
  }
  after(async () => {
    for (const node of nodes) await node.close()
  })
  let one: TestNode
  let others: TestNode[]
  before(async () => {
    one = await start(await fresh.target())
    others = [await start(await fresh.target()), await start(await fresh.target())]
    await withAcme(one.installation)
  })
  const everywhere = async (ask: Ask) => {
    // Ask twice, so that nodes that remember answers do so.
    for (let round = 0; round < 2; round++) {
      for (const node of [one, ...others]) assert.equal(await ask(node), 200)
    }
  }
  const refusedEverywhere = async (ask: Ask) => {
    // The node that revoked it refuses at once.
    assert.equal(await ask(one), 401)
    for (const node of others) assert.equal(await refusal(node, ask), 401)
  }

  test('every node refuses a revoked token', async () => {
    const token = await logIn(one, await addPerson(one))
    await everywhere(asking(token))
    await revokeOwn(one, token)
    await refusedEverywhere(asking(token))
  })

  test('every node refuses the tokens of a disabled account, and accepts them once it is enabled', async () => {
    const person = await addPerson(one)
    const token = await logIn(one, person)
    await everywhere(asking(token))
    await disableAccount(person.username, one.installation)
    await refusedEverywhere(asking(token))
    await enableAccount(person.username, one.installation)
    await everywhere(asking(token))
  })

  describe('every node refuses a device session', () => {
    let keys: Awaited<ReturnType<typeof freshDeviceKeys>>
    let made = 0
    before(async () => {
      keys = await freshDeviceKeys(3)
    })
    const newDevice = async () => {
      const key = keys[made++] ?? assert.fail('more devices than keys')
      const serial = serialAssertion({ serial: `N-${made}`, key })
      const session = await sessionOf(one, { serial, key })
      const device = await one.installation.devices.findHolder(serial.fields)
      return { ask: verifying(session), device: device ?? assert.fail('not in the register') }
    }
    const decision = () => ({ at: one.now(), by: 'alice', reason: null })

    test('whose device is revoked', async () => {
      const { ask, device } = await newDevice()
      await everywhere(ask)
      assert.ok(await one.installation.devices.revoke(device, decision()))
      await refusedEverywhere(ask)
    })

    test('whose device is in quarantine, until it is released', async () => {
      const { ask, device } = await newDevice()
      await everywhere(ask)
      assert.ok(await one.installation.devices.setQuarantine(device, one.now()))
      await refusedEverywhere(ask)
      assert.ok(await one.installation.devices.setQuarantine(device, null))
      await everywhere(ask)
    })

    test("whose device's serial is given to another key, within a larger transaction", async () => {
      const { ask, device } = await newDevice()
      await everywhere(ask)
      const superseded = await byOperator(one.installation)(async ({ devices }) => {
        const done = await devices.supersede(device, decision())
        // Nothing is committed yet.
        if (kind === 'postgres') for (const node of others) assert.equal(await ask(node), 200)
        return done
      })
      assert.ok(superseded)
      await refusedEverywhere(ask)
    })
  })

  if (kind === 'sqlite') return

  const postgres = async () => {
    const target = await fresh.target()
    assert.ok(target.kind === 'postgres')
    return target
  }
  /** Changes rows without a notification to the nodes. */
  const unannounced = async (statement: string) => {
    const url = new URL((await postgres()).url)
    await asSuperuser(`set session_replication_role = replica; ${statement}`, url.pathname)
  }
  /** Waits until the node remembers the answer. Otherwise the tests below would only show that it asks the database. */
  const remembers = async (node: TestNode, ask: Ask) => {
    await eventually('the node remembers', async () => {
      assert.equal(await ask(node), 200)
      await unannounced('update token_session set revoked_at = 1')
      const remembered = (await ask(node)) === 200
      await unannounced('update token_session set revoked_at = null')
      return remembered
    })
  }

  test('every node refuses a token that was revoked without the service, for example with psql', async () => {
    const token = await logIn(one, await addPerson(one))
    for (const node of [one, ...others]) await remembers(node, asking(token))
    const database = await openDatabase(await postgres())
    await inTransaction(database.query, async (query) => {
      await sql`update token_session set revoked_at = 1`.execute(query)
    })
    await database.close()
    for (const node of [one, ...others]) assert.equal(await refusal(node, asking(token)), 401)
  })

  describe('without triggers', () => {
    const triggers = async (how: 'disable' | 'enable') => {
      const { pathname } = new URL((await postgres()).url)
      await asSuperuser(`alter table token_session ${how} trigger user`, pathname)
    }
    after(() => triggers('enable'))

    test('without the triggers that nodes relied on, the node that revokes a token announces it itself', async () => {
      const token = await logIn(one, await addPerson(one))
      for (const node of [one, ...others]) await remembers(node, asking(token))
      await triggers('disable')
      await revokeOwn(one, token)
      await refusedEverywhere(asking(token))
    })

    test('a node never caches tokens, and refuses a revoked one at once without an announcement', async () => {
      await triggers('disable')
      const late = await start(await fresh.target())
      const token = await logIn(late, await addPerson(late))
      // Repeat it often enough that a node that remembers tokens would do so.
      for (let round = 0; round < 30; round++, await sleep(50)) {
        assert.equal(await asking(token)(late), 200)
        await unannounced('update token_session set revoked_at = 1')
        assert.equal(await asking(token)(late), 401)
        await unannounced('update token_session set revoked_at = null')
      }
    })
  })

  test('asks the database while the listener’s connection is open but silent', async (context) => {
    const { url } = await postgres()
    const proxy = await silenceable(new URL(url))
    context.after(() => proxy.close())
    const deaf = await start({ kind: 'postgres', url, listenUrl: proxy.url })
    const token = await logIn(one, await addPerson(one))
    await remembers(deaf, asking(token))
    proxy.silence(true)
    await revokeOwn(one, token)
    assert.equal(await refusal(deaf, asking(token)), 401)
    // The node also accepts and refuses a token that is new to it.
    const next = await logIn(deaf, await addPerson(one))
    assert.equal(await asking(next)(deaf), 200)
    await revokeOwn(one, next)
    assert.equal(await refusal(deaf, asking(next)), 401)
  })

  test('every node refuses a token that is revoked while the listeners’ connections are cut', async () => {
    const { url } = await postgres()
    const token = await logIn(one, await addPerson(one))
    for (const node of [one, ...others]) await remembers(node, asking(token))
    await asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = '${new URL(url).pathname.slice(1)}' and application_name = 'ratafia listener'`)
    await revokeOwn(one, token)
    await refusedEverywhere(asking(token))
  })

  test('a node that is cut off from the database answers 503, not 200', async (context) => {
    const { url } = await postgres()
    const proxy = await silenceable(new URL(url))
    context.after(() => proxy.close())
    const limits = { connectMs: 500, answerMs: 500 }
    const target = { kind: 'postgres', url: proxy.url, limits } as const
    const node = await start(target)
    const token = await logIn(one, await addPerson(one))
    await remembers(node, asking(token))
    proxy.silence(true)
    await revokeOwn(one, token)
    assert.equal(await refusal(node, asking(token)), 503)
    for (let round = 0; round < 3; round++) assert.equal(await asking(token)(node), 503)
    proxy.silence(false)
    await eventually('the database is back', async () => (await asking(token)(node)) !== 503)
    assert.equal(await asking(token)(node), 401)
  })
})
