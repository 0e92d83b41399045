/**
 * Guarantee: a service that knows a primary and its standby asks only the one that takes writes, answers 503 while
 * there is none, and recovers by itself when the standby is promoted, without forgetting a revocation.
 */
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Postgres } from '../../faults/world/postgres.ts'
import { openDatabase } from '../../packages/server/src/database/index.ts'
import { eventually } from '../../packages/server/test/support/eventually.ts'
import { startNode, type TestNode } from '../../packages/server/test/support/nodes.ts'
import { addPerson, bearing, call, logIn, revokeOwn } from '../../packages/server/test/support/service.ts'

suite('a primary and a synchronous standby', () => {
  let directory: string
  let primary: Postgres
  let standby: Postgres
  const nodes: TestNode[] = []
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ratafia-failover-'))
    // The servers' own account goes through it.
    chmodSync(directory, 0o755)
    primary = await Postgres.start(join(directory, 'primary'))
    standby = await primary.addStandby(join(directory, 'standby'))
  })
  after(async () => {
    for (const node of nodes) await node.close()
    await primary.stop()
    await standby.stop()
    rmSync(directory, { recursive: true })
  })

  const both = (first: Postgres, second: Postgres) =>
    `${first.url('postgres').replace(/(?<=:)\d+(?=\/)/, `${first.port},127.0.0.1:${second.port}`)}?target_session_attrs=read-write`
  const statusOf = async (node: TestNode, token: string) =>
    (await call(node, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })).status

  test('a standby alone is not enough: it may not have heard of a revocation', async () => {
    await assert.rejects(openDatabase({ kind: 'postgres', url: standby.url('postgres') }), {
      name: 'Unavailable',
      message: /takes no writes: it is a standby/,
    })
  })

  test('in any order, through a promotion', async () => {
    for (const url of [both(primary, standby), both(standby, primary)]) {
      nodes.push(await startNode({ kind: 'postgres', url }))
    }
    const [one, other] = nodes as [TestNode, TestNode]
    const people = await Promise.all([addPerson(one), addPerson(one)])
    const [kept, revoked] = (await Promise.all(people.map((person) => logIn(one, person)))) as [
      string,
      string,
    ]
    for (const node of nodes)
      for (const token of [kept, revoked]) assert.equal(await statusOf(node, token), 200)
    await revokeOwn(one, revoked)

    await primary.kill()
    await eventually('no primary is a 503', async () => (await statusOf(other, kept)) === 503)
    for (const node of nodes) {
      // The standby would answer reads, but is not asked.
      assert.equal(await statusOf(node, revoked), 503)
      assert.equal(await statusOf(node, kept), 503)
    }

    await standby.promote()
    for (const node of nodes) {
      await eventually('the new primary is found', async () => (await statusOf(node, kept)) === 200)
      assert.equal(await statusOf(node, revoked), 401)
    }
    // Remembered tokens hear of changes on the new primary.
    await sleep(1_000)
    for (const node of nodes) assert.equal(await statusOf(node, kept), 200)
    await revokeOwn(other, kept)
    await eventually('the revocation is heard of', async () => (await statusOf(one, kept)) === 401)
    await logIn(other, await addPerson(other))
  })
})
