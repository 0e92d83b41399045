/**
 * Tests what a grant reaches: every kind of credential that its account had before, over HTTP (docs/administration.md).
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import { generateKeyPair, type KeyPair } from '@ratafia/macaroon/bakery'
import type { Account } from '../../src/accounts/account.ts'
import { addGrant } from '../../src/management/grants/add-grant.ts'
import { reaches } from '../../src/management/grants/reaches.ts'
import {
  addAgent,
  addUser,
  disableAccount,
  enableAccount,
  makeResetLink,
  PASSWORD,
} from '../support/accounts.ts'
import { agentDischarge } from '../support/agent-login.ts'
import { eachDatabase } from '../support/databases.ts'
import { Browser } from '../support/identity.ts'
import { addOperator, exchangeAs, manage, managementToken } from '../support/managers.ts'
import { withSecondFactor } from '../support/second-factor.ts'
import { type Answer, call, dischargeFor, logIn, presenting, testService } from '../support/service.ts'

const ROOT = '/api/management/v1/tokens/root'
const EXCHANGE = '/api/management/v1/tokens/exchange'

/** The effect of an earlier credential after its account got the role auditor. */
type Reach =
  /** It opens what requires the role. */
  | 'has the role'
  /** It opens what it opened before. */
  | 'has no role'
  /** It opens nothing. */
  | 'ended'

interface Row {
  readonly reach: Reach
  /** Creates the credential, and returns how it is used. */
  readonly make: (account: Account) => Promise<() => Promise<Reach>>
}

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let operator = ''
  before(async () => {
    operator = await managementToken(service, await addOperator(service))
  })

  const newPerson = () => addUser(service.installation)
  const give = async ({ username }: Account, more: object = {}) => {
    const body = { account: username, role: 'auditor', ...more }
    const answer = await manage(service, operator, 'POST', '/grants', { body })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body
  }
  const take = async (id: string) => {
    const answer = await manage(service, operator, 'POST', `/grants/${id}/remove`, { body: {} })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  const reachOf = async (token: string): Promise<Reach> => {
    const { status } = await manage(service, token, 'GET', '/audit')
    if (status === 200) return 'has the role'
    return (await manage(service, token, 'GET', '/me')).status === 200 ? 'has no role' : 'ended'
  }
  const reachOfExchange = async ({ status, body }: Answer): Promise<Reach> =>
    status === 200 ? reachOf(body.macaroon) : 'ended'

  const at = (path: string) => `${service.baseUrl}${path}`
  /** Returns what a browser gets that begins at the console, without typing a password. */
  const reachOfBrowser = async (browser: Browser): Promise<Reach> => {
    const page = await browser.open(at('/console/audit'))
    if (page.url.includes('/identity/')) return 'ended'
    return page.status === 200 ? 'has the role' : 'has no role'
  }
  const signIn = async (
    browser: Browser,
    { username }: Account,
    path = '/console/sign-in?to=/console/audit',
  ) => browser.submit(await browser.open(at(path)), 'login', { username, password: PASSWORD })
  const agentOf = async (account: Account): Promise<{ readonly name: string; readonly keyPair: KeyPair }> => {
    const agent = { name: `a-${account.username}`, keyPair: generateKeyPair() }
    const publicKey = Buffer.from(agent.keyPair.publicKey).toString('base64')
    await addAgent(
      { name: agent.name, account: account.username, publicKey },
      { ...service.installation, location: at('/identity') },
    )
    return agent
  }
  const rootOf = async (body: object = {}): Promise<string> =>
    (await call(service, 'POST', ROOT, { body })).body.macaroon
  const logInAs = async (
    agent: { readonly name: string; readonly keyPair: KeyPair },
    wanted: object = {},
  ) => {
    const slice = await agentDischarge(await rootOf(wanted), agent)
    return call(service, 'POST', EXCHANGE, { headers: presenting(slice), body: {} })
  }

  const ROWS: Record<string, Row> = {
    'a password, at a new sign-in': {
      reach: 'has the role',
      make: async (account) => async () => {
        const browser = new Browser()
        await signIn(browser, account)
        return reachOfBrowser(browser)
      },
    },
    'a second factor, with the password': {
      reach: 'has the role',
      make: async (account) => {
        const code = await withSecondFactor(service, account)
        return async () => {
          const browser = new Browser()
          const asked = await signIn(browser, account)
          await browser.submit(asked, 'second-factor', { code: code() })
          return reachOfBrowser(browser)
        }
      },
    },
    'a browser that is signed in at the identity service': {
      reach: 'ended',
      make: async (account) => {
        const browser = new Browser()
        await signIn(browser, account)
        // It has nothing from the console: only the sign-in at the identity service is left.
        browser.cookies.delete('ratafia-console')
        return () => reachOfBrowser(browser)
      },
    },
    'a browser that is signed in to the console': {
      reach: 'has no role',
      make: async (account) => {
        const browser = new Browser()
        await signIn(browser, account)
        return () => reachOfBrowser(browser)
      },
    },
    'a management token': {
      reach: 'has no role',
      make: async (account) => {
        const token = await managementToken(service, account)
        return () => reachOf(token)
      },
    },
    'a login that was approved and is exchanged later': {
      reach: 'has no role',
      make: async (account) => {
        const signedIn = `browser ${service.now().toISOString()}`
        return async () => reachOfExchange(await exchangeAs(service, account, {}, { signedIn }))
      },
    },
    'a login that was used, exchanged again': {
      reach: 'has no role',
      make: async (account) => {
        const conditions = () => [
          `declared userid ${account.id}`,
          `declared signed-in browser ${service.now().toISOString()}`,
          `time-before ${new Date(service.now().getTime() + 86_400_000).toISOString()}`,
        ]
        const slice = await dischargeFor(service, await rootOf(), account, conditions)
        const exchange = () => call(service, 'POST', EXCHANGE, { headers: presenting(slice), body: {} })
        assert.equal((await exchange()).status, 200)
        return async () => reachOfExchange(await exchange())
      },
    },
    'a token that had the role when it was given before': {
      reach: 'has no role',
      make: async (account) => {
        const grant = await give(account)
        const token = await managementToken(service, account)
        assert.equal(await reachOf(token), 'has the role')
        await take(grant.id)
        return () => reachOf(token)
      },
    },
    'an agent': {
      reach: 'has no role',
      make: async (account) => {
        const agent = await agentOf(account)
        return async () => reachOfExchange(await logInAs(agent))
      },
    },
    'a token of an agent': {
      reach: 'has no role',
      make: async (account) => {
        const { body } = await logInAs(await agentOf(account))
        return () => reachOf(body.macaroon)
      },
    },
    'a developer token': {
      reach: 'ended',
      make: async (account) => {
        const token = await logIn(service, account)
        return () => reachOf(token)
      },
    },
    'a link to a password': {
      reach: 'ended',
      make: async (account) => {
        const { secret } = await makeResetLink(
          { account: account.id, lifetimeMs: 3_600_000 },
          service.installation,
        )
        const open = () => new Browser().open(at(`/identity/reset?secret=${secret}`))
        assert.equal((await open()).status, 200)
        return async () => ((await open()).status === 200 ? 'has the role' : 'ended')
      },
    },
    'a disabled account that is enabled again': {
      reach: 'has no role',
      make: async (account) => {
        const token = await managementToken(service, account)
        await disableAccount(account.id, service.installation)
        return async () => {
          await enableAccount(account.id, service.installation)
          return reachOf(token)
        }
      },
    },
  }

  for (const [credential, { reach, make }] of Object.entries(ROWS)) {
    test(`Guarantee: after a grant, ${credential} from before: ${reach}`, async () => {
      const account = await newPerson()
      const use = await make(account)
      service.advance(1_000)
      await give(account)
      service.advance(1_000)
      assert.equal(await use(), reach)
    })
  }

  test('an agent that the grant names has the role, and so does an agent added later', async () => {
    const account = await newPerson()
    const agent = await agentOf(account)
    service.advance(1_000)
    const { agents, id } = await give(account, { agents: [agent.name] })
    assert.deepEqual(agents, [agent.name])
    assert.equal(await reachOfExchange(await logInAs(agent)), 'has the role')
    // Granting it again without naming the agent removes it from the agent.
    await take(id)
    service.advance(1_000)
    await give(account)
    assert.equal(await reachOfExchange(await logInAs(agent)), 'has no role')
    const later = await newPerson()
    await give(later)
    assert.equal(await reachOfExchange(await logInAs(await agentOf(later))), 'has the role')
  })

  test('an agent that requests the role learns who can grant it', async () => {
    const account = await newPerson()
    const agent = await agentOf(account)
    service.advance(1_000)
    await give(account)
    const { status, body } = await logInAs(agent, { roles: ['auditor'] })
    assert.deepEqual([status, body.error_list[0].code], [403, 'permission-denied'])
    assert.match(body.error_list[0].message, new RegExp(`--with-agent ${agent.name}`))
  })

  test('Guarantee: a grant can name only agents of its account', async () => {
    const [account, other] = [await newPerson(), await newPerson()]
    const { name } = await agentOf(other)
    for (const agents of [[name], ['no-such-agent'], ['']]) {
      const body = { account: account.username, role: 'auditor', agents }
      const { status } = await manage(service, operator, 'POST', '/grants', { body })
      assert.equal(status, 400, agents.join())
    }
  })

  test('with an external identity service, a grant can name agents that only that service knows', async () => {
    const account = await newPerson()
    const { installation } = service
    const wanted = {
      account: account.id,
      role: 'auditor',
      agents: ['line-1'],
      authority: installation.authority,
    }
    await assert.rejects(addGrant(wanted, installation), { code: 'invalid-field' })
    const bad = { ...wanted, agents: ['line 1'], externalAgents: true }
    await assert.rejects(addGrant(bad, installation), { code: 'invalid-field' })
    const grant = await addGrant({ ...wanted, externalAgents: true }, installation)
    const since = new Date(grant.grantedAt.getTime() + 1)
    const age = (name: string) => ({ signIn: { kind: 'agent', name } as const, since, agentSince: undefined })
    assert.deepEqual([reaches(grant, age('line-1')), reaches(grant, age('line-2'))], [true, false])
  })

  test('Guarantee: a removed agent cannot administer with its remaining token', async () => {
    const account = await newPerson()
    await give(account)
    const agent = await agentOf(account)
    const { body } = await logInAs(agent)
    assert.equal(await reachOf(body.macaroon), 'has the role')
    await service.installation.agents.remove(agent.name)
    assert.equal(await reachOf(body.macaroon), 'has no role')
  })

  test('the table in docs/administration.md has the rows of this one', async () => {
    const page = await readFile(new URL('../../../../docs/administration.md', import.meta.url), 'utf8')
    const [, table = ''] = page.split('### What a role reaches')
    const rows = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| (.+?) \| (.+?)[;|]/gm)]
    const documented = rows.slice(1).map(([, credential, reach = '']) => [credential, reach.trim()])
    assert.deepEqual(
      documented,
      Object.entries(ROWS).map(([credential, { reach }]) => [credential, reach]),
    )
  })
})
