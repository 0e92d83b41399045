/** An agent that a user adds in the console: its file logs in as the user, within its limits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeKey, keyPairFromPrivateKey } from '@ratafia/macaroon/bakery'
import { addOwnAgent, type OwnAgentInput } from '../../src/management/own/add-own-agent.ts'
import { disableAccount, removeAccount } from '../support/accounts.ts'
import { agentDischarge } from '../support/agent-login.ts'
import { eachDatabase } from '../support/databases.ts'
import { manage, managementToken } from '../support/managers.ts'
import { inConsole, ownCredentialsOf } from '../support/own-credentials.ts'
import { addPerson, bearing, call, exchangeSlice, getRoot, testService } from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const add = (input: OwnAgentInput) => addOwnAgent(input, ownCredentialsOf(service))
  const agents = async () =>
    (await service.installation.database.query.selectFrom('agent').select('name').execute()).length

  test('the agent logs in with its file as its owner, within its limits', async () => {
    const ada = await addPerson(service)
    const authority = await inConsole(service, ada)
    const limits = { permissions: ['package_upload'], packages: ['hello'], maxLifetime: 3_600_000 }
    const { agent, file } = await add({ authority, name: 'line', limits })
    assert.deepEqual(file.agents, [{ url: `${service.baseUrl}/identity`, username: 'line' }])
    assert.equal(file.key.public, agent.public_key)
    const keyPair = keyPairFromPrivateKey(decodeKey(file.key.private))
    const slice = await agentDischarge(await getRoot(service), { name: 'line', keyPair })
    const token = await exchangeSlice(service, slice)
    const { body } = await call(service, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })
    assert.deepEqual(
      [body.account.username, body.permissions, body.packages],
      [ada.username, ['package_upload'], ['hello']],
    )
    const mine = await manage(service, await managementToken(service, ada), 'GET', '/me/agents')
    assert.deepEqual(mine.body.agents, [agent])
    assert.deepEqual([agent.account, agent.limits.max_lifetime_seconds], [ada.username, 3600])
  })

  test('Guarantee: its private key is stored nowhere, and the audit log contains the user and the session that added it', async () => {
    const ada = await addPerson(service)
    const { file } = await add({ authority: await inConsole(service, ada), name: 'secret-line' })
    const { query } = service.installation.database
    const rows = await query.selectFrom('agent').selectAll().where('name', '=', 'secret-line').execute()
    const key = Buffer.from(decodeKey(file.key.private))
    const [row = assert.fail()] = rows
    assert.deepEqual(Object.values(row).filter((value) => value instanceof Uint8Array).length, 1)
    assert.ok(!Buffer.from(row.public_key).equals(key))
    assert.ok(!JSON.stringify(rows).includes(file.key.private))
    const entries = await query
      .selectFrom('audit_entry')
      .select(['action', 'actor', 'details'])
      .where('subject', '=', 'secret-line')
      .execute()
    assert.deepEqual(
      entries.map(({ action, actor, details }) => [action, actor, JSON.parse(details).via]),
      [['agent.add', `account:${ada.username}`, 'console']],
    )
    assert.ok(!JSON.stringify(entries).includes(file.key.private))
  })

  test('Guarantee: only a person who signed in within 15 minutes can add one', async () => {
    const ada = await addPerson(service)
    const before = await agents()
    for (const [signedIn, code] of [
      ['agent line', 'person-required'],
      ['', 'person-required'],
      [`browser ${new Date(service.now().getTime() - 15 * 60_000).toISOString()}`, 'recent-sign-in-required'],
    ] as const) {
      const authority = await inConsole(service, ada, { signedIn })
      await assert.rejects(add({ authority, name: 'never' }), { code })
    }
    assert.equal(await agents(), before)
  })

  test('refuses an invalid or taken name, unknown limits, and an account that was disabled meanwhile', async () => {
    const authority = await inConsole(service, await addPerson(service))
    await add({ authority, name: 'taken' })
    for (const [input, field] of [
      [{ name: 'No Name' }, 'name'],
      [{ name: 'taken' }, 'name'],
      [{ name: 'other', limits: { permissions: ['fly'] } }, 'permission'],
      [{ name: 'other', limits: { channels: [''] } }, 'channel'],
    ] as const) {
      await assert.rejects(add({ authority, ...input }), { code: 'invalid-field', extra: { field } })
    }
    await service.installation.packages.import([{ name: 'hello', snapId: 'x' }], { replaceAll: true })
    await assert.rejects(add({ authority, name: 'other', limits: { packages: ['hallo'] } }), {
      code: 'package-not-found',
    })
    const bob = await addPerson(service)
    const bobs = await inConsole(service, bob)
    await disableAccount(bob.username, service.installation)
    await removeAccount({ account: bob.username }, service.installation)
    await assert.rejects(add({ authority: bobs, name: 'bobs' }))
    assert.equal((await service.installation.agents.find('bobs')) ?? null, null)
  })

  test('there are no agents here with another identity service', async () => {
    const deps = ownCredentialsOf(service, 'https://id.example.org')
    const authority = await inConsole(service, await addPerson(service))
    await assert.rejects(addOwnAgent({ authority, name: 'elsewhere' }, deps), { code: 'state-conflict' })
  })
})
