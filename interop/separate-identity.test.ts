// An identity service in its own process and installation, and a service that trusts it.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { BAKERIES, goBakery, pythonBakery } from './support/driver.ts'
import { DATABASES, type Installation, newInstallation } from './support/installation.ts'
import { browserOf } from './support/person-settings.ts'
import { type Service, startService } from './support/service.ts'
import { type Account, assertUnauthorized, ok } from './support/token-life.ts'
import { ADA, addAccount } from './support/world.ts'

const BODY = { permissions: ['package_access'] }

for (const kind of DATABASES) {
  suite(kind, { timeout: 300_000 }, () => {
    let identityInstallation: Installation
    let installation: Installation
    let identity: Service
    let service: Service
    let adaId: string

    before(async () => {
      identityInstallation = await newInstallation(kind)
      installation = await newInstallation(kind)
      identity = await startService(identityInstallation, ['identity', 'serve'])
      adaId = await addAccount(identityInstallation, ADA, ADA.password)
      installation.environment['RATAFIA_IDENTITY_URL'] = identity.url
      service = await startService(installation)
    })
    after(async () => {
      await service?.stop()
      await identity?.stop()
      await installation?.remove()
      await identityInstallation?.remove()
    })

    async function restart(settings: Readonly<Record<string, string>> = {}): Promise<void> {
      assert.equal(await service.stop(), 0)
      Object.assign(installation.environment, settings)
      service = await startService(installation)
    }

    async function login(): Promise<{ token?: string; message?: string; pages: string[] }> {
      const browser = await browserOf(identityInstallation.directory, ADA)
      const client = pythonBakery(browser.environment)
      const answer = await client.ask({ do: 'login', service: service.url, body: BODY })
      await client.close()
      const pages = (await browser.seen()).map(({ text }) => text)
      return { pages, ...answer }
    }

    async function accountOf(token: string | undefined): Promise<Account & { id: string }> {
      const client = goBakery()
      const headers = { Authorization: `Macaroon ${token}` }
      const url = `${service.url}/api/v2/tokens/whoami`
      const me = (await ok(client.ask({ do: 'call', method: 'GET', url, headers }))) as {
        account: Account & { id: string }
      }
      await client.close()
      return me.account
    }

    test('a user of a separate identity service gets an account here, and the same one the next time', async () => {
      const first = await login()
      assert.ok(first.token, first.message)
      const account = await accountOf(first.token)
      assert.deepEqual([account.username, account.name], [ADA.username, ADA.username])
      assert.notEqual(account.id, adaId)
      assert.deepEqual(await accountOf((await login()).token), account)
    })

    test('the page of a separate identity service names the service that asks, and warns that it is unknown', async () => {
      const { pages } = await login()
      assert.match(pages.join('\n'), /does not know the requesting service/)
      assert.ok(pages.join('\n').includes(service.url))
    })

    for (const [name, start] of Object.entries(BAKERIES)) {
      test(`${name}: an agent of a separate identity service logs in here`, async () => {
        const agent = `builder-${start.name.toLowerCase()}`
        const agentFile = join(identityInstallation.directory, `${agent}.json`)
        const words = ['agents', 'add', agent, '--account', ADA.username, '--url', identity.url]
        await identityInstallation.ratafia([...words, '--output', agentFile])
        const client = start({ BAKERY_AGENT_FILE: agentFile })
        const { token, error, message } = await client.ask({ do: 'login', service: service.url, body: BODY })
        await client.close()
        assert.equal((await accountOf(token)).username, ADA.username, `${error} ${message}`)
      })
    }

    test('logins still work after the key of a separate identity service is rotated, and later use the new key', async () => {
      const rotated = await identityInstallation.ratafia(['keys', 'rotate', '--discharger', '--json'])
      const { public_key: key } = JSON.parse(rotated) as { public_key: string }
      assert.ok((await login()).token)

      while ((await publishedKey()) !== key) await sleep(200)
      // The caveat is sealed to the previous key, which this service still has in memory.
      assert.ok((await login()).token)
      await restart()
      assert.deepEqual(await keyPrefixOfCaveat(), Buffer.from(key, 'base64').subarray(0, 4))
      assert.ok((await login()).token)
    })

    async function publishedKey(): Promise<string> {
      const response = await fetch(`${identity.url}/discharge/info`)
      return ((await response.json()) as { PublicKey: string }).PublicKey
    }

    /**
     * Returns the first bytes of the key that the root macaroon's caveat is sealed to (contract/bakery.md
     * 2.3).
     */
    async function keyPrefixOfCaveat(): Promise<Buffer> {
      const response = await fetch(`${service.url}/api/v2/tokens`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(BODY),
      })
      const { macaroon } = (await response.json()) as { macaroon: string }
      const { c } = JSON.parse(macaroon) as { c: { i64?: string; l?: string }[] }
      const caveat = c.find(({ l }) => l !== undefined)
      return Buffer.from(caveat?.i64 ?? '', 'base64url').subarray(1, 5)
    }

    test('with RATAFIA_ACCOUNTS=known, an unknown user is refused, and can log in once an operator links an account', async () => {
      const bob = { username: 'bob', password: 'another long one', email: 'bob@example.com', name: 'Bob' }
      const bobId = await addAccount(identityInstallation, bob, bob.password)
      await restart({ RATAFIA_ACCOUNTS: 'known' })

      const body = { ...BODY, description: 'of Bob' }
      const attempt = async () => {
        const client = pythonBakery((await browserOf(identityInstallation.directory, bob)).environment)
        const answer = await client.ask({ do: 'login', service: service.url, body })
        await client.close()
        return answer
      }
      const { message = '' } = await attempt()
      assertUnauthorized(
        { status: Number(/status (\d+)/.exec(message)?.[1]), message },
        bobId,
        'account-unknown',
      )

      const here = { username: 'robert', email: 'robert@example.com', name: 'Robert' }
      await addAccount(installation, here)
      await installation.ratafia(['accounts', 'link', here.username, '--subject', bobId])
      assert.equal((await accountOf((await attempt()).token)).username, here.username)
    })

    test('with RATAFIA_IDENTITY_CONDITION=username, users are recognised by their username there', async () => {
      await restart({ RATAFIA_ACCOUNTS: 'auto', RATAFIA_IDENTITY_CONDITION: 'username' })
      // By its username the user is new, and the account that was known by the id keeps its username.
      const { name, username } = await accountOf((await login()).token)
      assert.deepEqual([name, username], [ADA.username, `${ADA.username}-2`])
    })
  })
}
