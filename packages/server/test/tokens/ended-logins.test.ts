/**
 * Guarantee: once the logins of an account were invalidated, no earlier root, discharge or approval opens anything, on
 * any node. A new password, disabling (and enabling), removing an agent and revoking everything invalidate them.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addFirstPartyCaveat, type Macaroon } from '@ratafia/macaroon'
import {
  decodeBakeryMacaroon,
  decodeCaveatId,
  dischargeAll,
  type KeyPair,
  mintBakeryMacaroon,
} from '@ratafia/macaroon/bakery'
import type { Account } from '../../src/accounts/account.ts'
import {
  disableAccount,
  enableAccount,
  removeAccount,
  removeAgent,
  revokeAll,
  setPassword,
} from '../support/accounts.ts'
import { agentDischarge, newAgent } from '../support/agent-login.ts'
import { eachDatabase } from '../support/databases.ts'
import { startNode, type TestNode } from '../support/nodes.ts'
import {
  type Answer,
  addPerson,
  bearing,
  call,
  dischargeFor,
  exchangeSlice,
  getRoot,
  presenting,
  refusalOf,
  testService,
} from '../support/service.ts'

type Slice = readonly [Macaroon, ...Macaroon[]]

const exchange = (node: Pick<TestNode, 'baseUrl'>, slice: Slice): Promise<Answer> =>
  call(node, 'POST', '/api/v2/tokens/exchange', { headers: presenting(slice), body: {} })
const whoami = (node: Pick<TestNode, 'baseUrl'>, headers: Record<string, string>): Promise<Answer> =>
  call(node, 'GET', '/api/v2/tokens/whoami', { headers })

eachDatabase((_kind, _open, fresh) => {
  let one: TestNode
  let other: TestNode
  before(async () => {
    one = await startNode(await fresh.target())
    // Both nodes have the same base URL, as they do behind a load balancer.
    other = await startNode(await fresh.target(), { RATAFIA_BASE_URL: one.baseUrl })
  })
  after(async () => {
    await one.close()
    await other.close()
  })

  /** Adds an account with an agent, whose discharges are those of the identity service itself. */
  const withAgent = async (
    limits = {},
    at: Pick<TestNode, 'baseUrl' | 'installation'> = one,
    username?: string,
  ) => {
    const account = await addPerson(at, username)
    return { account, ...(await newAgent(at, account, `agent-${account.username}`, limits)) }
  }
  const latentLogin = async (agent: { name: string; keyPair: KeyPair }, root = getRoot(one)) =>
    agentDischarge(await root, agent)

  const ENDINGS: Readonly<Record<string, (account: Account, agent: string) => Promise<unknown>>> = {
    'a new password': ({ id }) =>
      setPassword({ account: id, password: 'another password' }, one.installation),
    'disabling and enabling': async ({ id }) => {
      await disableAccount(id, one.installation)
      await enableAccount(id, one.installation)
    },
    'the removal of an agent': (_account, agent) => removeAgent(agent, one.installation),
    'revoking everything': ({ id }) => revokeAll({ account: id }, one.installation),
  }

  for (const [what, end] of Object.entries(ENDINGS)) {
    describe(what, () => {
      test('invalidates an unused root and its discharge on every node', async () => {
        const agent = await withAgent()
        const [first, second] = [await latentLogin(agent), await latentLogin(agent)]
        await end(agent.account, agent.name)
        for (const node of [one, other]) {
          assert.match(
            refusalOf(await exchange(node, first)).message,
            /^Logins of .* are no longer valid\. Log in again\.$/,
          )
          assert.equal(refusalOf(await whoami(node, presenting(second))).status, 401)
        }
        const { tokenSessions } = one.installation
        assert.deepEqual(await tokenSessions.list({ accountId: agent.account.id, limit: 10 }), [])
      })

      test('an earlier root opens nothing with a later discharge, nor the other way round', async () => {
        const agent = await withAgent()
        const still = await newAgent(one, agent.account, `spare-${agent.name}`)
        const [root, used] = [await getRoot(one), await latentLogin(agent)]
        await exchangeSlice(one, used)
        await end(agent.account, agent.name)
        assert.equal((await exchange(other, await latentLogin(still, Promise.resolve(root)))).status, 401)
        // A login that had opened its session cannot get another token either.
        assert.equal((await exchange(other, used)).status, 401)
        assert.equal((await exchange(other, await latentLogin(still))).status, 200)
      })

      test('an earlier discharge cannot be made to look like a later one', async () => {
        const agent = await withAgent()
        const root = await getRoot(one)
        const later = Date.now() + 60_000
        const [bound, unmarked] = [
          await agentDischarge(root, agent, (discharged) =>
            addFirstPartyCaveat(discharged, `declared login ${later} ${later}`),
          ),
          // The identity service added no mark, so the holder adds one.
          await dischargeFor(one, root, agent.account, ({ id }) => [
            `declared userid ${id}`,
            `time-before ${new Date(later).toISOString()}`,
            `declared login ${later} ${later}`,
          ]),
        ]
        await end(agent.account, agent.name)
        for (const slice of [bound, unmarked]) assert.equal((await exchange(one, slice)).status, 401)
      })
    })
  }

  test('only revoking everything revokes existing tokens', async () => {
    for (const [what, end] of Object.entries(ENDINGS)) {
      const agent = await withAgent()
      const token = await exchangeSlice(one, await latentLogin(agent))
      await end(agent.account, agent.name)
      const status = what === 'revoking everything' ? 401 : 200
      assert.equal((await whoami(one, bearing(token))).status, status, what)
    }
  })

  test('revoking everything revokes each session once, including those opened at the same moment', async () => {
    const agent = await withAgent()
    for (let i = 0; i < 3; i++) await exchangeSlice(one, await latentLogin(agent))
    const latent = await Promise.all(Array.from({ length: 8 }, () => latentLogin(agent)))
    const [answers, { revoked }] = await Promise.all([
      Promise.all(latent.map((slice, at) => exchange(at % 2 === 0 ? one : other, slice))),
      revokeAll({ account: agent.account.id }, one.installation),
    ])
    const opened = answers.filter(({ status }) => status === 200)
    assert.equal(revoked, 3 + opened.length)
    for (const { body } of opened) {
      assert.match(refusalOf(await whoami(one, bearing(body.macaroon))).message, /was revoked at/)
    }
    const again = await revokeAll({ account: agent.account.id }, one.installation)
    assert.equal(again.revoked, 0)
    const entries = await one.installation.database.query
      .selectFrom('audit_entry')
      .select('action')
      .where('subject', '=', agent.account.username)
      .where('action', '=', 'token.revoke-all')
      .execute()
    assert.equal(entries.length, 2)
    assert.ok(again.account.loginsSince)
  })

  test('invalidates logins again within the same millisecond, and after the clock was set back', async () => {
    const { account } = await withAgent()
    const { accounts } = one.installation
    const at = new Date(1_000)
    const seen = async () => (await accounts.findById(account.id))?.loginsSince?.getTime()
    for (const expected of [1_000, 1_001]) {
      await accounts.endLogins(account.id, at)
      assert.equal(await seen(), expected)
    }
    await accounts.endLogins(account.id, new Date(500))
    assert.equal(await seen(), 1_002)
  })

  test('an agent’s limits apply to every root that it discharges, and whoami shows them', async () => {
    const limits = {
      permissions: ['package_upload', 'package_release'],
      channels: ['edge', 'beta'],
      packages: ['hello'],
      storeIds: ['acme'],
      maxLifetime: 3_600_000,
    }
    const agent = await withAgent(limits)
    const shown = async (request: unknown) => {
      const token = await exchangeSlice(one, await latentLogin(agent, getRoot(one, request)))
      return (await whoami(other, bearing(token))).body
    }
    const all = await shown({})
    assert.deepEqual(
      [all.permissions, all.channels, all.packages, all.store_ids],
      [limits.permissions, limits.channels, limits.packages, limits.storeIds],
    )
    assert.ok(Date.parse(`${all.expires}Z`) <= Date.now() + limits.maxLifetime)
    const fewer = await shown({ permissions: ['package_upload', 'store_admin'], channels: ['edge'] })
    assert.deepEqual([fewer.permissions, fewer.channels], [['package_upload'], ['edge']])
    const nothing = await latentLogin(agent, getRoot(one, { permissions: ['store_admin'] }))
    assert.match(refusalOf(await exchange(one, nothing)).message, /exclude each other/)
  })

  test('ignores an identity after the time-before of a discharge', async () => {
    const person = await addPerson(one)
    const until = `time-before ${new Date(Date.now() + 60_000).toISOString()}`
    // A discharger ignores need-declared, and the holder appends an identity of their choice.
    const [root, ...discharges] = await dischargeAll(
      decodeBakeryMacaroon(JSON.parse(await getRoot(one))),
      async ({ id }) => {
        const { rootKey } = decodeCaveatId(id, await one.installation.keyring.dischargerKeyPairs())
        const undeclared = mintBakeryMacaroon({ rootKey, id, version: 2 })
        const conditions = [until, `declared userid ${person.id}`]
        return { ...undeclared, macaroon: conditions.reduce(addFirstPartyCaveat, undeclared.macaroon) }
      },
    )
    const answer = refusalOf(await exchange(one, [root, ...discharges]))
    assert.match(answer.message, /^The identity service did not declare userid/)
  })

  describe('discharges that name usernames', () => {
    const service = testService(fresh, { RATAFIA_IDENTITY_CONDITION: 'username' })
    const namesake = () => withAgent({}, service, 'namesake')

    test('a login of a removed account does not open a session for a later account with the same username', async () => {
      const former = await namesake()
      const root = await getRoot(service)
      // The clock is set back after this, so the root looks younger than the next account.
      service.advance(60_000)
      const unused = await latentLogin(former, getRoot(service))
      service.advance(-60_000)
      await removeAccount({ account: former.account.id }, service.installation)
      const next = await namesake()
      const refused = /^The account that logged in as "namesake" was removed, .* Log in again\.$/
      assert.match(refusalOf(await exchange(service, unused)).message, refused)
      assert.match(refusalOf(await whoami(service, presenting(unused))).message, refused)
      // The new account can log in, even with a root that was requested before the account was created.
      const token = await exchange(service, await latentLogin(next, Promise.resolve(root)))
      assert.equal(token.status, 200)
      const { body } = await whoami(service, bearing(token.body.macaroon))
      assert.equal(body.account.id, next.account.id)
    })
  })
})
