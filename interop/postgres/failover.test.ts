/**
 * Guarantee: a service that knows a primary and its standby asks only the one that takes writes, answers 503 while
 * there is none, and recovers by itself when the standby is promoted, without forgetting a revocation.
 */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../packages/server/src/database/index.ts'
import { eventually } from '../../packages/server/test/support/eventually.ts'
import { addPerson, logIn, revokeOwn, whoami } from '../../packages/server/test/support/service.ts'
import { type PrimaryAndStandby, startPrimaryAndStandby, urlOfBoth } from './support/primary-and-standby.ts'

suite('a primary and a synchronous standby', () => {
  let servers: PrimaryAndStandby
  before(async () => {
    servers = await startPrimaryAndStandby()
  })
  after(() => servers.close())

  test('a standby alone is not enough: it may not have heard of a revocation', async () => {
    const url = servers.standby.url('postgres')
    await assert.rejects(openDatabase({ kind: 'postgres', url }), {
      name: 'Unavailable',
      message: /takes no writes: it is a standby/,
    })
  })

  test('in any order, through a promotion', async () => {
    const { primary, standby, startNode } = servers
    const start = (...[first, second]: Parameters<typeof urlOfBoth>) =>
      startNode(`${urlOfBoth(first, second)}?target_session_attrs=read-write`)
    const [one, other] = [await start(primary, standby), await start(standby, primary)]
    const nodes = [one, other]
    const [kept, revoked] = [await logIn(one, await addPerson(one)), await logIn(one, await addPerson(one))]
    for (const node of nodes) {
      for (const token of [kept, revoked]) assert.equal(await whoami(node, token), 200)
    }
    await revokeOwn(one, revoked)

    await primary.kill()
    await eventually('no primary is a 503', async () => (await whoami(other, kept)) === 503)
    for (const node of nodes) {
      // The standby would answer reads, but is not asked.
      assert.equal(await whoami(node, revoked), 503)
      assert.equal(await whoami(node, kept), 503)
    }

    await standby.promote()
    for (const node of nodes) {
      await eventually('the new primary is found', async () => (await whoami(node, kept)) === 200)
      assert.equal(await whoami(node, revoked), 401)
    }
    // Remembered tokens hear of changes on the new primary.
    await sleep(1_000)
    for (const node of nodes) assert.equal(await whoami(node, kept), 200)
    await revokeOwn(other, kept)
    await eventually('the revocation is heard of', async () => (await whoami(one, kept)) === 401)
    await logIn(other, await addPerson(other))
  })
})
