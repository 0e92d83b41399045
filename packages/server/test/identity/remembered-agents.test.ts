/**
 * Guarantee: the caches of the nodes never let in an agent a second after its removal, and at the node that removed
 * it at once. They never refuse an agent that may log in.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { encodeBase64 } from '@ratafia/macaroon'
import { decodeBakeryMacaroon } from '@ratafia/macaroon/bakery'
import type { Account } from '../../src/accounts/account.ts'
import { disableAccount, enableAccount, removeAgent } from '../support/accounts.ts'
import { agentDischarge, newAgent } from '../support/agent-login.ts'
import { byOperator } from '../support/changes.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { startNode, type TestNode } from '../support/nodes.ts'
import { addPerson, exchangeSlice, getRoot } from '../support/service.ts'

/** The promised second, and a margin for a busy machine. */
const WITHIN_MS = 3_000

eachDatabase((_kind, _open, fresh) => {
  let one: TestNode
  let other: TestNode
  let account: Account
  let agent: Awaited<ReturnType<typeof newAgent>>
  before(async () => {
    one = await startNode(await fresh.target())
    other = await startNode(await fresh.target())
  })
  after(async () => {
    await one.close()
    await other.close()
  })
  beforeEach(async () => {
    account = await addPerson(one)
    agent = await newAgent(one, account, `of-${account.username}`)
    for (const node of [one, other]) {
      await eventually('a node remembers the agent', async () => (await readsOf(node, agent)) === 0)
    }
  })

  /** Returns the status of the first answer to the agent's login. */
  async function asking({ baseUrl }: TestNode, { name, keyPair }: typeof agent): Promise<number> {
    const { macaroon } = decodeBakeryMacaroon(JSON.parse(await getRoot({ baseUrl })))
    const caveat = macaroon.caveats.find(({ verificationId }) => verificationId !== undefined)
    assert.ok(caveat)
    const refused = await fetch(`${baseUrl}/identity/discharge`, {
      method: 'POST',
      body: new URLSearchParams({ id64: encodeBase64(caveat.id) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: what an answer must have is used right away.
    const { Info }: any = await refused.json()
    const url = new URL(Info.InteractionMethods.agent['login-url'])
    url.searchParams.set('username', name)
    url.searchParams.set('public-key', encodeBase64(keyPair.publicKey))
    const answer = await fetch(url)
    await answer.text()
    return answer.status
  }

  /** Counts how many times the login reads an agent from the database. */
  async function readsOf(node: TestNode, who: typeof agent): Promise<number> {
    const { accounts } = node.installation
    const { findByAgent } = accounts
    let reads = 0
    Object.assign(accounts, {
      findByAgent: (name: string) => {
        reads++
        return findByAgent(name)
      },
    })
    try {
      assert.equal(await asking(node, who), 200)
    } finally {
      Object.assign(accounts, { findByAgent })
    }
    return reads
  }

  const TAKEN_AWAY: Readonly<Record<string, () => Promise<unknown>>> = {
    'an agent that was removed': () => removeAgent(agent.name, one.installation),
    'an agent of a disabled account': () => disableAccount(account.id, one.installation),
  }
  for (const [what, takeAway] of Object.entries(TAKEN_AWAY)) {
    test(`Guarantee: ${what} is refused at once, and everywhere within a second`, async () => {
      await takeAway()
      const acknowledged = performance.now()
      assert.equal(await asking(one, agent), 401)
      await eventually('the other node refuses', async () => (await asking(other, agent)) === 401)
      assert.ok(performance.now() - acknowledged < WITHIN_MS)
    })
  }

  test('an agent that got a new key can log in with it at once, at each node', async () => {
    await removeAgent(agent.name, one.installation)
    const again = await newAgent(one, account, agent.name)
    for (const node of [one, other]) assert.equal(await asking(node, again), 200)
  })

  test('an account that was enabled again can log in at once, at each node', async () => {
    await disableAccount(account.id, one.installation)
    await eventually('the other node refuses', async () => (await asking(other, agent)) === 401)
    await enableAccount(account.id, one.installation)
    for (const node of [one, other]) assert.equal(await asking(node, agent), 200)
  })

  test('Guarantee: a discharge from the cache cannot open a session after the logins of its account were revoked', async () => {
    const slice = await agentDischarge(await getRoot(other), agent)
    await byOperator(one.installation)(({ accounts }) => accounts.endLogins(account.id, new Date()))
    await assert.rejects(exchangeSlice(other, slice))
    // After the change notification, the node issues a discharge that works.
    await eventually('a login from after', async () =>
      exchangeSlice(other, await agentDischarge(await getRoot(other), agent)).catch(() => undefined),
    )
  })
})
