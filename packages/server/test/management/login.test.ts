/** Tests management tokens over HTTP: how to get one, what it opens, and what other credentials do not open. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase, onOne } from '../support/databases.ts'
import { addManager, exchangeAs, giveRoles, manage, managementToken } from '../support/managers.ts'
import {
  addPerson,
  bearing,
  call,
  logIn,
  narrowed,
  refusalOf,
  testService,
  whoami,
} from '../support/service.ts'

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh)
  const { testOnce } = onOne(kind)

  const me = async (token: string) => {
    const { status, body } = await manage(service, token, 'GET', '/me')
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const allowed = async (token: string): Promise<Record<string, readonly string[] | null>> =>
    Object.fromEntries(
      (await me(token)).permissions.map((one: { permission: string; brands: string[] | null }) => [
        one.permission,
        one.brands,
      ]),
    )
  test('an account with a role logs in, and sees its identity, the expiry and its permissions', async () => {
    const account = await addManager(service, 'device-approver acme', 'viewer other')
    const token = await managementToken(service, account, { description: 'laptop' })
    const body = await me(token)
    assert.equal(body.username, account.username)
    assert.equal(body.signed_in.with, 'browser')
    assert.deepEqual(
      body.grants.map((one: { role: string; brand: string }) => `${one.role} ${one.brand}`),
      ['device-approver acme', 'viewer other'],
    )
    assert.deepEqual(await allowed(token), {
      'devices:read': ['acme', 'other'],
      'devices:decide': ['acme'],
      'models:read': ['acme', 'other'],
    })
    const left = Date.parse(body.expires) - service.now().getTime()
    assert.ok(left > 7.9 * 3_600_000 && left <= 8 * 3_600_000)
    const { body: sessions } = await manage(service, token, 'GET', '/me/tokens')
    assert.deepEqual(
      sessions.tokens.map((one: { kind: string; description: string }) => [one.kind, one.description]),
      [['management', 'laptop']],
    )
  })

  testOnce('Guarantee: an account without a role gets a token only for its own records', async () => {
    const account = await addPerson(service)
    const token = await managementToken(service, account)
    const me = await manage(service, token, 'GET', '/me')
    assert.deepEqual([me.status, me.body.grants, me.body.permissions], [200, [], []])
    assert.equal((await manage(service, token, 'GET', '/me/tokens')).body.tokens.length, 1)
    for (const path of ['/devices', '/grants', '/accounts', '/tokens', '/audit', '/models']) {
      const { status, code } = refusalOf(await manage(service, token, 'GET', path))
      assert.deepEqual([status, code], [403, 'permission-denied'], path)
    }
    const { code, message } = refusalOf(await exchangeAs(service, account, { roles: ['viewer'] }))
    assert.equal(code, 'permission-denied')
    assert.match(message, /ratafia grants add/)
  })

  test('Guarantee: a read-only token can end only its own session', async () => {
    const account = await addManager(service, 'operator')
    const other = await managementToken(service, account)
    const others = await manage(service, other, 'GET', '/me')
    const reading = await managementToken(service, account, { read_only: true })
    const revoke = (id: string) => manage(service, reading, 'POST', `/me/tokens/${id}/revoke`, { body: {} })
    assert.equal(refusalOf(await revoke(others.body.session_id)).code, 'permission-denied')
    assert.equal((await manage(service, other, 'GET', '/me')).status, 200)
    const { body: me } = await manage(service, reading, 'GET', '/me')
    assert.equal((await revoke(me.session_id)).status, 200)
    assert.equal((await manage(service, reading, 'GET', '/me')).status, 401)
  })

  test('a request narrows the token: roles, brands, read-only, time', async () => {
    const account = await addManager(service, 'operator')
    const token = await managementToken(service, account, {
      ...{ roles: ['device-approver'], brands: ['acme', 'other'], lifetime: 600 },
    })
    assert.deepEqual(await allowed(token), {
      'devices:read': ['acme', 'other'],
      'devices:decide': ['acme', 'other'],
      'models:read': ['acme', 'other'],
    })
    const reading = await managementToken(service, account, { read_only: true })
    const names = Object.keys(await allowed(reading))
    assert.ok(names.length > 3 && names.every((name) => name.endsWith(':read')), names.join())
    const none = await exchangeAs(service, await addManager(service, 'viewer acme'), { brands: ['other'] })
    assert.equal(refusalOf(none).code, 'permission-denied')
    const { code } = refusalOf(
      await call(service, 'POST', '/api/management/v1/tokens/root', { body: { lifetime: 86_401 } }),
    )
    assert.equal(code, 'invalid-field')
    service.advance(601_000)
    assert.equal(
      refusalOf(await manage(service, token, 'GET', '/me')).code,
      'macaroon-authorization-required',
    )
  })

  test('Guarantee: a holder can only narrow a management token', async () => {
    const account = await addManager(service, 'brand-manager acme', 'brand-manager other')
    const token = await managementToken(service, account)
    const one = narrowed(token, 'manage {"brands":["acme"],"roles":["device-approver"]}')
    assert.deepEqual(Object.keys(await allowed(one)), ['devices:read', 'devices:decide', 'models:read'])
    const two = narrowed(one, 'manage {"brands":["other"]}')
    assert.deepEqual(await allowed(two), {})
    const wider = narrowed(one, 'manage {"roles":["operator"],"brands":["acme","other","more"]}')
    assert.deepEqual(await allowed(wider), await allowed(one))
    for (const condition of [
      ...['manage {"grants":[["operator",null]],"read_only":false}', 'manage {"roles":[]}'],
      ...['manage {"roles":["king"]}', 'manage {"read_only":"no"}', 'manage []', 'manage {"brands":["a b"]}'],
    ]) {
      const { status, message } = refusalOf(await manage(service, narrowed(token, condition), 'GET', '/me'))
      assert.deepEqual([status, message.includes('cannot be read')], [401, true], `${condition}: ${message}`)
    }
    const { code } = refusalOf(
      await manage(service, narrowed(token, 'extra {"channel": null}'), 'GET', '/me'),
    )
    assert.equal(code, 'macaroon-caveat-unknown')
  })

  test('Guarantee: only a management token opens the API, and it opens nothing else', async () => {
    const account = await addManager(service, 'operator')
    const developer = await logIn(service, account)
    const { status, message } = refusalOf(await manage(service, developer, 'GET', '/me'))
    assert.deepEqual([status, /is a developer token, .*ratafia login/.test(message)], [401, true], message)
    assert.equal(await whoami(service, await managementToken(service, account)), 401)
    assert.equal(refusalOf(await call(service, 'GET', '/api/management/v1/me')).status, 401)
    const cookie = { headers: { cookie: 'ratafia-sign-in=x; ratafia-console=y' } }
    assert.equal(refusalOf(await call(service, 'GET', '/api/management/v1/me', cookie)).status, 401)
    const withManage = narrowed(developer, 'manage {"roles":["viewer"]}')
    const refused = await call(service, 'GET', '/api/v2/tokens/whoami', { headers: bearing(withManage) })
    assert.equal(refusalOf(refused).code, 'macaroon-caveat-unknown')
  })

  test('Guarantee: a removed role is gone with the next request; a new role does not widen existing tokens', async () => {
    const account = await addManager(service, 'device-approver acme')
    const token = await managementToken(service, account)
    assert.deepEqual((await allowed(token))['devices:decide'], ['acme'])
    await giveRoles(service, account, 'operator')
    assert.equal((await allowed(token))['accounts:read'], undefined)
    await service.installation.grants.remove({ accountId: account.id, role: 'operator', brandId: undefined })
    await service.installation.grants.remove({
      ...{ accountId: account.id, role: 'device-approver', brandId: 'acme' },
    })
    assert.deepEqual(await allowed(token), {})
    const { code } = refusalOf(await manage(service, token, 'GET', '/devices/x'))
    assert.equal(code, 'permission-denied')
  })
})
