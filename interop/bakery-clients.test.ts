// Python's and Go's bakery clients log in as a user in a browser and as an agent, and use the tokens they get.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BAKERIES, type Driver } from './support/driver.ts'
import { browserOf } from './support/person-settings.ts'
import { type Account, type Call, liveAndRevoke } from './support/token-life.ts'
import { ADA, FARM, onEachDatabase, type World } from './support/world.ts'

/** Matches the messages of all clients about a rejected login. */
const REFUSED = /rejected|refused|denied|cannot get/i

onEachDatabase((world) => {
  for (const [name, start] of Object.entries(BAKERIES)) {
    test(`${name}: a user logs in with a browser, and uses, lists and revokes tokens`, async () => {
      const { installation } = world()
      const browser = await browserOf(installation.directory, ADA)
      await lifeWith(start(browser.environment), world(), ADA)
      const titles = (await browser.seen()).map(({ title }) => title)
      assert.deepEqual(titles.slice(0, 3), [
        'Sign in · Ratafia',
        'Approve this login? · Ratafia',
        'Login approved · Ratafia',
      ])
    })

    test(`${name}: an agent logs in with its agents file, and uses, lists and revokes tokens`, async () => {
      await lifeWith(start({ BAKERY_AGENT_FILE: world().agentFile }), world(), FARM)
    })

    test(`${name}: a login that the user rejects does not give a token`, async () => {
      const { installation, service } = world()
      const browser = await browserOf(installation.directory, { ...ADA, button: 'Reject login' })
      const client = start(browser.environment)
      const body = { permissions: ['package_access'] }
      const answer = await client.ask({ do: 'login', service: service.url, body })
      await client.close()
      assert.equal(answer.token, undefined)
      assert.match(`${answer.error} ${answer.message}`, REFUSED)
      assert.equal((await browser.seen()).at(-1)?.title, 'Login rejected · Ratafia')
    })

    test(`${name}: a removed agent is refused`, async () => {
      const { installation, service } = world()
      const agentFile = `${installation.directory}/removed-${start.name}.json`
      const words = ['agents', 'add', `gone-${start.name.toLowerCase()}`, '--account', FARM.username]
      await installation.ratafia([...words, '--output', agentFile])
      await installation.ratafia(['agents', 'remove', `gone-${start.name.toLowerCase()}`])
      const client = start({ BAKERY_AGENT_FILE: agentFile })
      const answer = await client.ask({
        do: 'login',
        service: service.url,
        body: { permissions: ['package_access'] },
      })
      await client.close()
      assert.equal(answer.token, undefined)
      assert.match(`${answer.error} ${answer.message}`, /agent/i)
    })
  }
})

async function lifeWith(client: Driver, { service }: World, account: Account): Promise<void> {
  const login = async (description: string): Promise<string> => {
    const body = { permissions: ['package_access', 'package_upload'], description }
    const answer = await client.ask({ do: 'login', service: service.url, body })
    assert.ok(answer.token, `${answer.error}: ${answer.message}`)
    return answer.token
  }
  const call: Call = (token, method, path, body) =>
    client.ask({
      do: 'call',
      method,
      url: `${service.url}${path}`,
      headers: { Authorization: `Macaroon ${token}` },
      ...(body && { body }),
    })
  try {
    const description = `of ${account.username} ${crypto.randomUUID()}`
    const tokens = { first: await login(description), second: await login('to revoke with'), description }
    await liveAndRevoke(call, tokens, account)
  } finally {
    await client.close()
  }
}
