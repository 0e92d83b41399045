/** Tests the caller's own agents in the management API. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase } from '../support/databases.ts'
import { addManager, assertMissing, manage, managementToken, managerToken } from '../support/managers.ts'
import { addAgentTo, addPerson, refusalOf, testService } from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)

  const mine = async (token: string, query = '') => {
    const { status, body } = await manage(service, token, 'GET', '/me/agents', { query })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const remove = (
    token: string,
    name: string,
    more: { query?: string; headers?: Record<string, string> } = {},
  ) => manage(service, token, 'POST', `/me/agents/${encodeURIComponent(name)}/remove`, { body: {}, ...more })

  test('lists my agents page by page, with their limits', async () => {
    const ada = await addManager(service, 'viewer acme')
    const token = await managementToken(service, ada)
    assert.deepEqual(await mine(token), { agents: [], next: null })
    const limits = { permissions: ['package_upload'], maxLifetime: 3_600_000 }
    await addAgentTo(service, ada, 'b-line', { limits })
    await addAgentTo(service, ada, 'a-line')
    await addAgentTo(service, await addPerson(service), 'another')
    const first = await mine(token, '?limit=1')
    const second = await mine(token, `?limit=1&cursor=${first.next}`)
    assert.equal(second.next, null)
    const [a, b] = [...first.agents, ...second.agents]
    assert.deepEqual([a.name, a.account, b.name], ['a-line', ada.username, 'b-line'])
    assert.deepEqual(b.limits, {
      ...{ permissions: ['package_upload'], channels: null, packages: null, store_ids: null },
      max_lifetime_seconds: 3600,
    })
    assert.equal(Buffer.from(b.public_key, 'base64').length, 32)
  })

  test('removes an agent: as a dry run, with its version, and once', async () => {
    const ada = await addManager(service, 'viewer acme')
    const token = await managementToken(service, ada)
    await addAgentTo(service, ada, 'one')
    const { agents } = await mine(token)
    const tried = await remove(token, 'one', { query: '?dry_run=true' })
    assert.deepEqual([tried.status, tried.body], [200, agents[0]])
    const other = await remove(token, 'one', { headers: { 'if-match': '"another"' } })
    assert.equal(refusalOf(other).code, 'version-mismatch')
    assert.equal((await mine(token)).agents.length, 1)
    const etag = tried.headers.get('etag') ?? assert.fail()
    const removed = await remove(token, 'one', { headers: { 'if-match': etag } })
    assert.deepEqual([removed.status, removed.body], [200, agents[0]])
    assert.deepEqual(await mine(token), { agents: [], next: null })
    assert.equal(refusalOf(await remove(token, 'one')).code, 'no-such-record')
    const [entry] = await service.installation.database.query
      .selectFrom('audit_entry')
      .selectAll()
      .where('action', '=', 'agent.remove')
      .execute()
    assert.deepEqual([entry?.actor, entry?.subject], [`account:${ada.username}`, 'one'])
    // Logins that have not been used yet may belong to this agent.
    const { loginsSince } = (await service.installation.accounts.findById(ada.id)) ?? assert.fail()
    assert.ok(loginsSince)
    assert.equal((await manage(service, token, 'GET', '/me')).status, 200)
  })

  test("Guarantee: another user's agent answers exactly as one that does not exist", async () => {
    const token = await managerToken(service, 'operator')
    await addAgentTo(service, await addPerson(service), 'theirs')
    await assertMissing(['theirs', 'absent'], (name) => remove(token, name))
    assert.equal((await remove(token, 'no name\0')).status, 404)
    assert.ok(await service.installation.agents.find('theirs'))
  })
})
