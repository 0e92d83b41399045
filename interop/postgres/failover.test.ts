/**
 * Guarantee: a service that knows a primary and its standby only uses the server that accepts writes, answers 503 while
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

  test('a standby alone is refused, because it may lack a revocation', async () => {
    const url = servers.standby.url('postgres')
    await assert.rejects(openDatabase({ kind: 'postgres', url }), {
      name: 'Unavailable',
      message: /accepts no writes: it is a standby/,
    })
  })

  test('nodes follow a promotion, regardless of the order of the hosts', async () => {
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
      // The standby would answer reads, but the nodes do not use it.
      assert.equal(await whoami(node, revoked), 503)
      assert.equal(await whoami(node, kept), 503)
    }

    await standby.promote()
    for (const node of nodes) {
      await eventually('the new primary is found', async () => (await whoami(node, kept)) === 200)
      assert.equal(await whoami(node, revoked), 401)
    }
    // Cached tokens follow changes on the new primary.
    await sleep(1_000)
    for (const node of nodes) assert.equal(await whoami(node, kept), 200)
    await revokeOwn(other, kept)
    await eventually('the other node refuses the token', async () => (await whoami(one, kept)) === 401)
    await logIn(other, await addPerson(other))
  })
})
