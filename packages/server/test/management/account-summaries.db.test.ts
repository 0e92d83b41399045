/** Tests what lists show of accounts besides their records: roles, agents, the newest session, and `may_act`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase } from '../support/databases.ts'
import { addManager, addOperator, grant, manage, managementToken, managerToken } from '../support/managers.ts'
import { addAgentTo, addPerson, logIn, refusalOf, testService } from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const summariesFor = async (token: string, ...accounts: readonly string[]) =>
    manage(service, token, 'GET', '/account-summaries', {
      query: `?${new URLSearchParams(accounts.map((account): [string, string] => ['account', account]))}`,
    })

  test('shows roles, agents and the newest session of the named accounts, by username', async () => {
    const manager = await managerToken(service, 'account-manager')
    const plain = await addPerson(service, 'zoe')
    const approver = await addManager(service, 'viewer', 'device-approver acme-brand')
    await addAgentTo(service, plain, 'line-1')
    assert.equal((await logIn(service, plain)).length > 0, true)
    const opened = service.now()
    const { status, body } = await summariesFor(
      manager,
      plain.id,
      approver.username,
      'unknown-name',
      'no/name',
    )
    assert.equal(status, 200, JSON.stringify(body))
    const [first, second, ...more] = body.summaries
    assert.deepEqual(more, [])
    assert.deepEqual(first, {
      ...{ id: approver.id, username: approver.username, may_act: false, agents: 0 },
      roles: [
        { role: 'device-approver', brand: 'acme-brand' },
        { role: 'viewer', brand: null },
      ],
      newest_session_at: null,
    })
    const { newest_session_at: newest, ...rest } = second
    assert.deepEqual(rest, { id: plain.id, username: 'zoe', roles: [], may_act: true, agents: 1 })
    assert.ok(Math.abs(Date.parse(newest) - opened.getTime()) < 60_000, newest)
  })

  test('Guarantee: may_act predicts the change itself: no role of the account allows more than the caller has', async () => {
    const operator = await addOperator(service)
    const operating = await managementToken(service, operator)
    const managing = await managerToken(service, 'account-manager')
    const other = await addManager(service, 'account-manager')
    const viewer = await addManager(service, 'viewer acme-brand')
    for (const [token, who, may] of [
      [managing, other, true],
      [managing, viewer, false],
      [managing, operator, false],
      [operating, operator, true],
      [operating, viewer, true],
    ] as const) {
      const { body } = await summariesFor(token, who.username)
      assert.equal(body.summaries[0].may_act, may, who.username)
      const query = '?dry_run=true'
      const changed = await manage(service, token, 'POST', `/accounts/${who.id}/enable`, { query, body: {} })
      assert.equal(changed.status, may ? 200 : 403)
    }
  })

  test('omits an expired role', async () => {
    const operator = await managementToken(service, await addOperator(service))
    const person = await addPerson(service)
    await grant(service, person.username, 'viewer')
    const roles = async () => (await summariesFor(operator, person.id)).body.summaries[0].roles
    assert.deepEqual(await roles(), [{ role: 'viewer', brand: null }])
    await service.installation.grants.remove({ accountId: person.id, role: 'viewer', brandId: undefined })
    const at = service.now()
    await service.installation.grants.add({
      ...{ accountId: person.id, role: 'viewer', brandId: undefined, grantedBy: 'operator', agents: [] },
      ...{ grantedAt: new Date(at.getTime() - 2_000), expiresAt: new Date(at.getTime() - 1_000) },
    })
    assert.deepEqual(await roles(), [])
  })

  test('requires the permission to see accounts, and accepts a hundred at a time', async () => {
    const viewer = await managerToken(service, 'viewer')
    assert.deepEqual(refusalOf(await summariesFor(viewer, 'zoe')).code, 'permission-denied')
    const manager = await managerToken(service, 'account-manager')
    const names = Array.from({ length: 101 }, (_, index) => `person-${index}`)
    assert.equal(refusalOf(await summariesFor(manager, ...names)).code, 'invalid-field')
    assert.equal((await summariesFor(manager, ...names.slice(1))).status, 200)
    assert.equal(refusalOf(await summariesFor(manager)).code, 'invalid-request')
  })
})
