/** Tests grants over HTTP: operators give and remove roles, and attacks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addFirstPartyCaveat } from '@ratafia/macaroon'
import { generateKeyPair } from '@ratafia/macaroon/bakery'
import { grantStore } from '../../src/grants/grant-store.ts'
import { addGrant } from '../../src/management/grants/add-grant.ts'
import { removeGrant } from '../../src/management/grants/remove-grant.ts'
import { addAgent, disableAccount, removeAccount } from '../support/accounts.ts'
import { agentDischarge } from '../support/agent-login.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase, onOne } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { addManager, addOperator, grant, manage, managementToken, managerToken } from '../support/managers.ts'
import { startNode } from '../support/nodes.ts'
import { addPerson, call, presenting, refusalOf, testService } from '../support/service.ts'

const MINUTE = 60_000

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh)
  const { testOnce } = onOne(kind)

  const add = (token: string, body: object, query = '') =>
    manage(service, token, 'POST', '/grants', { body, query })
  const remove = (token: string, id: string) =>
    manage(service, token, 'POST', `/grants/${id}/remove`, { body: {} })
  const operator = () => addOperator(service)

  test('an operator gives a role, sees it in the list, and removes it again', async () => {
    const ada = await operator()
    const token = await managementToken(service, ada)
    const bob = await addPerson(service)
    const expires = new Date(service.now().getTime() + 86_400_000).toISOString()
    const given = await add(token, { account: bob.username, role: 'auditor', expires })
    assert.equal(given.status, 201, JSON.stringify(given.body))
    assert.deepEqual(
      [given.body.account, given.body.role, given.body.brand, given.body.granted_by, given.body.expires_at],
      [bob.username, 'auditor', null, ada.username, expires],
    )
    assert.equal(refusalOf(await add(token, { account: bob.id, role: 'auditor' })).code, 'already-exists')
    const { body } = await manage(service, token, 'GET', '/grants', { query: `?account=${bob.username}` })
    assert.deepEqual(body.grants, [given.body])
    const removed = await remove(token, given.body.id)
    assert.deepEqual([removed.status, removed.body], [200, given.body])
    assert.equal(refusalOf(await remove(token, given.body.id)).code, 'no-such-record')
    const entries = await service.installation.audit.list({ subject: bob.username }, { limit: 2 })
    assert.deepEqual(
      entries.map(({ action, actor }) => [action, actor]),
      [
        ['grant.remove', `account:${ada.username}`],
        ['grant.add', `account:${ada.username}`],
      ],
    )
  })

  test('refuses invalid grants, and a dry run grants nothing', async () => {
    const token = await managementToken(service, await operator())
    const bob = await addPerson(service)
    const past = new Date(service.now().getTime() - 1000).toISOString()
    for (const [body, code] of [
      [{ account: 'unknown', role: 'viewer' }, 'no-such-record'],
      [{ account: bob.username, role: 'king' }, 'invalid-field'],
      [{ account: bob.username, role: 'operator', brand: 'acme' }, 'invalid-field'],
      [{ account: bob.username, role: 'viewer', brand: 'not-here' }, 'invalid-field'],
      [{ account: bob.username, role: 'viewer', brand: 'a b' }, 'invalid-field'],
      [{ account: bob.username, role: 'viewer', expires: past }, 'invalid-field'],
      [{ account: bob.username, role: 'viewer', expires: '2026-02-30T00:00:00Z' }, 'invalid-field'],
      [{ account: bob.username }, 'invalid-request'],
    ] as const) {
      assert.equal(refusalOf(await add(token, body)).code, code, JSON.stringify(body))
    }
    const dry = await add(token, { account: bob.username, role: 'viewer' }, '?dry_run=true')
    assert.deepEqual([dry.status, dry.headers.get('ratafia-dry-run')], [201, 'true'])
    const { body } = await manage(service, token, 'GET', '/grants', { query: `?account=${bob.id}` })
    assert.deepEqual(body.grants, [])
    for (const id of ['x', `${bob.id}:king`, `${bob.id}:viewer:a:b`, '%00', `${bob.id}:viewer`]) {
      assert.equal(refusalOf(await remove(token, id)).code, 'no-such-record', id)
    }
  })

  test('Guarantee: only operators give or remove roles, whatever other roles an account has', async () => {
    const bob = await addPerson(service)
    for (const roles of [
      ['viewer'],
      ['brand-manager'],
      ['account-manager'],
      ['auditor'],
      ['brand-manager', 'account-manager', 'auditor'],
    ]) {
      const token = await managerToken(service, ...roles)
      const { status, code } = refusalOf(await add(token, { account: bob.username, role: 'viewer' }))
      assert.deepEqual([status, code], [403, 'permission-denied'], roles.join())
    }
    const ada = await operator()
    for (const wanted of [{ read_only: true }, { brands: ['acme'] }, { roles: ['account-manager'] }]) {
      const token = await managementToken(service, ada, wanted)
      const { code, message } = refusalOf(await add(token, { account: bob.username, role: 'viewer' }))
      assert.equal(code, 'permission-denied')
      assert.match(message, /this token was created without it|Your token is read-only/)
    }
  })

  test('Guarantee: an agent, or a sign-in over 15 minutes ago, cannot give or remove a role', async () => {
    const ada = await operator()
    const bob = await addPerson(service)
    const body = { account: bob.username, role: 'viewer' }
    for (const signedIn of ['agent ci', '', 'browser', 'browser yesterday', 'king']) {
      const token = await managementToken(service, ada, {}, { signedIn })
      const { status, code } = refusalOf(await add(token, body))
      assert.deepEqual([status, code], [403, 'person-required'], signedIn)
    }
    const token = await managementToken(service, ada)
    service.advance(14 * MINUTE)
    assert.equal((await add(token, body)).status, 201)
    service.advance(2 * MINUTE)
    const late = await remove(token, `${bob.id}:viewer`)
    assert.equal(late.status, 401)
    assert.equal(
      late.headers.get('www-authenticate'),
      'Macaroon realm="Ratafia", error="insufficient_user_authentication", max_age=900',
    )
    const [first] = late.body.error_list
    assert.deepEqual([first.code, first.extra.max_age], ['recent-sign-in-required', 900])
    // Discharging the same root again gives the same session, which began with the earlier sign-in.
    const again = await managementToken(service, ada)
    assert.equal((await remove(again, `${bob.id}:viewer`)).status, 200)
  })

  test('a grant expires at its time by itself', async () => {
    const ada = await operator()
    const bob = await addPerson(service)
    const expires = new Date(service.now().getTime() + 10 * MINUTE)
    const { authority } = service.installation
    await addGrant({ account: bob.id, role: 'auditor', expires, authority }, service.installation)
    const token = await managementToken(service, bob)
    assert.equal((await manage(service, token, 'GET', '/grants')).status, 200)
    service.advance(10 * MINUTE)
    assert.equal(refusalOf(await manage(service, token, 'GET', '/grants')).code, 'permission-denied')
    // It stays on record, and can be given again.
    const operators = await managementToken(service, ada)
    const { body } = await manage(service, operators, 'GET', '/grants', { query: `?account=${bob.id}` })
    assert.equal(body.grants.length, 1)
    assert.equal((await add(operators, { account: bob.id, role: 'auditor' })).status, 201)
    assert.equal((await manage(service, token, 'GET', '/grants')).status, 403)
    assert.equal((await manage(service, await managementToken(service, bob), 'GET', '/grants')).status, 200)
  })

  test('Guarantee: the last operator who can sign in stays, even if two are removed at once', async () => {
    const { grants } = service.installation
    for (const { accountId, role, brandId } of await grants.list({ role: 'operator' }, { limit: 1000 })) {
      await grants.remove({ accountId, role, brandId })
    }
    const ada = await operator()
    const { code, message } = refusalOf(
      await remove(await managementToken(service, ada), `${ada.id}:operator`),
    )
    assert.equal(code, 'state-conflict')
    assert.match(message, /Ask another operator/)
    const lastOf = (work: Promise<unknown>) => assert.rejects(work, { code: 'last-operator' })
    const takeFrom = (id: typeof ada.id) =>
      removeGrant(
        { grant: { accountId: id, role: 'operator', brandId: undefined }, authority: deciding() },
        service.installation,
      )
    await lastOf(takeFrom(ada.id))
    await lastOf(disableAccount(ada.id, service.installation))
    await lastOf(removeAccount({ account: ada.id }, service.installation))
    // Without a password this account could not sign in.
    await grant(service, (await addPerson(service)).id, 'operator')
    await lastOf(takeFrom(ada.id))
    const bob = await operator()
    const ends = await Promise.allSettled([takeFrom(ada.id), disableAccount(bob.id, service.installation)])
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const [last, ...more] = await service.installation.database.query
      .transaction()
      .execute(async (transaction) => {
        return grantStore({ query: transaction }).lockOperators(service.now())
      })
    assert.ok(last !== undefined && more.length === 0)
  })

  testOnce('a removed account loses its roles with everything else', async () => {
    const bob = await addManager(service, 'viewer acme', 'auditor')
    await removeAccount({ account: bob.id }, service.installation)
    assert.deepEqual(await service.installation.grants.heldBy(bob.id, service.now()), [])
  })

  test('an agent of an account with a role logs in with its key, and is distinguished from people', async () => {
    const account = await addManager(service, 'device-approver acme')
    const name = 'line'
    const keyPair = generateKeyPair()
    const location = `${service.baseUrl}/identity`
    const publicKey = Buffer.from(keyPair.publicKey).toString('base64')
    await addAgent({ name, account: account.username, publicKey }, { ...service.installation, location })
    const root = await call(service, 'POST', '/api/management/v1/tokens/root', { body: {} })
    const slice = await agentDischarge(root.body.macaroon, { name, keyPair })
    const exchanged = await call(service, 'POST', '/api/management/v1/tokens/exchange', {
      headers: presenting(slice),
      body: {},
    })
    assert.equal(exchanged.status, 200, JSON.stringify(exchanged.body))
    const { body } = await manage(service, exchanged.body.macaroon, 'GET', '/me')
    assert.deepEqual(
      [body.username, body.signed_in],
      [account.username, { with: 'agent', at: null, agent: name }],
    )
    // A holder cannot turn it into a person: what they append to the discharge does not count.
    const other = await call(service, 'POST', '/api/management/v1/tokens/root', { body: {} })
    const forged = await agentDischarge(other.body.macaroon, { name, keyPair }, (discharge) =>
      addFirstPartyCaveat(discharge, `declared signed-in browser ${service.now().toISOString()}`),
    )
    const refused = await call(service, 'POST', '/api/management/v1/tokens/exchange', {
      headers: presenting(forged),
      body: {},
    })
    assert.deepEqual([refused.status, refusalOf(refused).code], [401, 'macaroon-authorization-required'])
  })

  testOnce('an agent that is limited to publishing cannot get a management token', async () => {
    const account = await addManager(service, 'operator')
    const keyPair = generateKeyPair()
    const location = `${service.baseUrl}/identity`
    const publicKey = Buffer.from(keyPair.publicKey).toString('base64')
    await addAgent(
      { name: 'upload', account: account.username, publicKey, limits: { permissions: ['package_upload'] } },
      { ...service.installation, location },
    )
    const root = await call(service, 'POST', '/api/management/v1/tokens/root', { body: {} })
    const slice = await agentDischarge(root.body.macaroon, { name: 'upload', keyPair })
    const answer = await call(service, 'POST', '/api/management/v1/tokens/exchange', {
      headers: presenting(slice),
      body: {},
    })
    assert.equal(refusalOf(answer).code, 'macaroon-caveat-unknown')
  })
})

eachDatabase((kind, _open, fresh) => {
  test('Guarantee: a removed role stops working on every node within a second, as does a revoked session', async (t) => {
    if (kind === 'sqlite') return
    const target = await fresh.target()
    const nodes = await Promise.all([startNode(target), startNode(target)])
    t.after(() => Promise.all(nodes.map((node) => node.close())))
    const [one, other] = nodes
    assert.ok(one && other)
    const account = await addManager(one, 'auditor')
    const token = await managementToken(one, account)
    const status = async (node: typeof one) =>
      (
        await call(node, 'GET', '/api/management/v1/grants', {
          headers: { authorization: `Macaroon ${token}` },
        })
      ).status
    assert.deepEqual([await status(one), await status(other), await status(other)], [200, 200, 200])
    const [{ grantedAt: given } = assert.fail()] = await one.installation.grants.heldBy(
      account.id,
      new Date(),
    )
    await one.installation.grants.remove({ accountId: account.id, role: 'auditor', brandId: undefined })
    assert.equal(await status(one), 403)
    await eventually('the other node knows', async () => (await status(other)) === 403)
    await one.installation.grants.add({
      ...{ accountId: account.id, role: 'auditor', brandId: undefined },
      // As if it had never been removed: a later grant would not reach an existing token.
      ...{ grantedAt: given, grantedBy: 'operator', expiresAt: undefined, agents: [] },
    })
    await eventually('the other node knows', async () => (await status(other)) === 200)
    await disableAccount(account.id, one.installation)
    assert.equal(await status(one), 401)
    await eventually('the other node knows', async () => (await status(other)) === 401)
  })
})
