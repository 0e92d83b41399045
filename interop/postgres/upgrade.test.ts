/**
 * Guarantee: in a rolling upgrade, nodes of this release keep serving after the next release has migrated their
 * database, and can be restarted on it, and each release refuses what the other revoked. The next release is this
 * checkout with one more migration.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { exchange, listTokens, logIn, revoke, type Token, whoami } from '../../faults/load/log-in.ts'
import { seeded } from '../../faults/load/random.ts'
import { makeScene } from '../../faults/load/scene.ts'
import { newRecorder, Wire } from '../../faults/load/wire.ts'
import { commandOf } from '../../faults/world/command.ts'
import { Node } from '../../faults/world/node.ts'
import { NEXT_MIGRATION, nextRelease, thisRelease } from '../../faults/world/release.ts'
import { setUp } from '../../faults/world/set-up.ts'
import { asSuperuser } from '../../packages/server/test/support/databases.ts'
import { freePort } from '../../tools/test/free-port.ts'

/** Ends a test that would wait forever. */
const DEADLINE_MS = 150_000

test('nodes of this and the next release share a database during an upgrade', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-upgrade-'))
  const database = `upgrade_${randomBytes(6).toString('hex')}`
  const nodes: Node[] = []
  after(async () => {
    for (const node of nodes) await node.stop()
    await asSuperuser(`drop database if exists ${database} with (force)`)
    rmSync(directory, { recursive: true, force: true })
  })
  await asSuperuser(`create database ${database}`)
  const url = new URL(process.env['RATAFIA_TEST_POSTGRES_URL'] ?? '')
  url.pathname = `/${database}`
  const environment = {
    RATAFIA_DATA_DIR: directory,
    RATAFIA_DATABASE_URL: url.href,
    RATAFIA_SECRET_KEY: randomBytes(32).toString('base64'),
    RATAFIA_BASE_URL: 'http://ratafia.test',
    RATAFIA_LOG_LEVEL: 'warn',
    RATAFIA_WORKERS: '1',
  }
  const old = { ...thisRelease(), environment }
  const next = { ...(await nextRelease(join(directory, 'next'))), environment }

  const scene = await makeScene({ people: 2, models: 1, keys: 0 })
  await setUp(scene, old)
  for (const name of ['one', 'other']) {
    const node = new Node(name, await freePort(), old)
    nodes.push(node)
    await node.start()
  }
  const [one, other] = nodes as [Node, Node]
  const random = seeded('upgrade', 'requests')
  const recorder = newRecorder()
  const wire = new Wire(nodes, recorder)
  after(() => wire.close())
  const login = async (person: number): Promise<Token> => {
    const someone = scene.people[person] ?? assert.fail('no such person')
    return (await logIn(someone, wire, random)) ?? assert.fail(JSON.stringify(recorder.history.at(-1)))
  }
  const status = async (node: Node, token: Token) => (await wire.send(node, whoami(token))).status
  const holds = async (...tokens: Token[]) => {
    // Repeat often enough for the nodes to cache the tokens.
    for (let round = 0; round < 3; round++, await sleep(300)) {
      for (const token of tokens) {
        for (const node of nodes) assert.equal(await status(node, token), 200)
        assert.ok(await exchange(token, wire, random))
        assert.equal((await wire.send(wire.pick(random), listTokens(token))).status, 200)
      }
    }
  }
  /** Revokes at one node, and waits until all refuse. `tokens/revocation.timed.test.ts` tests the promised second. */
  const endedAt = async (node: Node, token: Token) => {
    const asked = revoke(token, token)
    assert.equal((await wire.send(node, asked)).status, 200)
    for (const each of nodes) {
      for (
        const end = performance.now() + DEADLINE_MS;
        (await status(each, token)) !== 401;
        await sleep(20)
      ) {
        if (performance.now() > end) assert.fail(`${each.name} accepts a token that ${node.name} has revoked`)
      }
    }
  }

  const [kept, before] = [await login(0), await login(1)]
  await holds(kept, before)
  await endedAt(one, before)

  // The next release migrates the database; the old nodes keep running.
  const ratafia = commandOf(next)
  const planned = JSON.parse((await ratafia(['migrate', '--plan', '--json'])).stdout)
  assert.deepEqual(
    planned.missing.map(({ name }: { name: string }) => name),
    [NEXT_MIGRATION],
  )
  assert.deepEqual(JSON.parse((await ratafia(['migrate', '--json'])).stdout), { ran: [NEXT_MIGRATION] })
  const onOld = await login(1)
  await holds(kept, onOld)
  await endedAt(other, onOld)

  // An old node can start on the new schema.
  await one.stop()
  await one.start()
  const onRestarted = await login(0)
  await holds(kept, onRestarted)
  await endedAt(one, onRestarted)

  // Both releases run side by side.
  await other.stop()
  other.installation = next
  await other.start()
  const [endedOld, endedNew] = [await login(0), await login(1)]
  await holds(kept, endedOld, endedNew)
  await endedAt(one, endedOld)
  await endedAt(other, endedNew)

  await one.stop()
  one.installation = next
  await one.start()
  await holds(kept, await login(1))
  for (const token of [before, onOld, onRestarted, endedOld, endedNew]) {
    for (const node of nodes) assert.equal(await status(node, token), 401)
  }

  assert.deepEqual(
    recorder.history.filter((seen) => seen.status === 0 || seen.status >= 500),
    [],
  )
  assert.deepEqual(
    nodes.flatMap(({ endings }) => endings),
    [],
  )
})
