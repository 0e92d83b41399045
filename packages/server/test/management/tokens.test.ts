/** Tests sessions of tokens in the management API: the caller's own, and for administrators those of every account. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSessionId } from '@ratafia/api'
import { eachDatabase } from '../support/databases.ts'
import {
  addManager,
  assertMissing,
  everyPage,
  manage,
  managementToken,
  managerToken,
} from '../support/managers.ts'
import { addPerson, call, logIn, refusalOf, sessionOf, testService, whoami } from '../support/service.ts'

const DAY = 86_400_000

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)

  test('lists my own sessions of every kind page by page, and revokes them', async () => {
    const ada = await addManager(service, 'viewer acme')
    const token = await managementToken(service, ada, { description: 'console' })
    const developer = [await logIn(service, ada, { description: 'one' }), await logIn(service, ada)]
    await logIn(service, await addPerson(service))
    const seen = await everyPage(service, token, '/me/tokens', { field: 'tokens', limit: 1 })
    assert.deepEqual(
      seen.map(({ session_id: id, kind }) => `${id} ${kind}`).sort(),
      [`${sessionOf(token)} management`, ...developer.map((one) => `${sessionOf(one)} developer`)].sort(),
    )
    assert.ok(seen.every(({ opened_from: from }) => from === '127.0.0.1'))
    const [first = ''] = developer
    const revoked = await manage(service, token, 'POST', `/me/tokens/${sessionOf(first)}/revoke`)
    assert.deepEqual([revoked.status, revoked.body.revoked_by], [200, ada.username])
    assert.equal(await whoami(service, first), 401)
    const again = await manage(service, token, 'POST', `/me/tokens/${sessionOf(first)}/revoke`)
    assert.deepEqual([again.status, again.body], [200, revoked.body])
    const { body: active } = await manage(service, token, 'GET', '/me/tokens')
    assert.equal(active.tokens.length, 2)
    const { body: all } = await manage(service, token, 'GET', '/me/tokens', { query: '?state=all' })
    assert.equal(all.tokens.length, 3)
    // Clients of the store also see the login of the console.
    const { body: listed } = await call(service, 'GET', '/api/v2/tokens', {
      headers: { authorization: `Macaroon ${developer[1]}` },
    })
    assert.ok(listed.macaroons.some((one: { description: string }) => one.description === 'console'))
  })

  test('a shortened session also expires earlier for developer tokens, and cannot be lengthened', async () => {
    const ada = await addManager(service, 'viewer acme')
    const token = await managementToken(service, ada)
    const old = await logIn(service, ada)
    const until = new Date(service.now().getTime() + 3_600_000).toISOString()
    const shorten = (to: string, query = '') =>
      manage(service, token, 'POST', `/me/tokens/${sessionOf(old)}/shorten`, { body: { until: to }, query })
    const dry = await shorten(until, '?dry_run=true')
    assert.deepEqual([dry.status, dry.body.valid_until], [200, until])
    const shortened = await shorten(until)
    assert.deepEqual([shortened.status, shortened.body.valid_until], [200, until])
    const later = await shorten(new Date(service.now().getTime() + 10 * DAY).toISOString())
    assert.deepEqual([later.status, later.body.valid_until], [200, until])
    const tooFar = await shorten(new Date(service.now().getTime() + 31 * DAY).toISOString())
    assert.equal(refusalOf(tooFar).code, 'invalid-field')
    assert.equal(await whoami(service, old), 200)
    service.advance(3_600_000)
    assert.equal(await whoami(service, old), 401)
    await manage(service, token, 'POST', `/me/tokens/${sessionOf(old)}/revoke`)
    assert.equal(refusalOf(await shorten(service.now().toISOString())).code, 'state-conflict')
  })

  test("Guarantee: another user's session answers exactly as one that does not exist", async () => {
    const token = await managerToken(service, 'viewer acme')
    const other = await logIn(service, await addPerson(service))
    for (const verb of ['revoke', 'shorten']) {
      const body = verb === 'shorten' ? { until: service.now().toISOString() } : {}
      await assertMissing([sessionOf(other), newSessionId()], (id) =>
        manage(service, token, 'POST', `/me/tokens/${id}/${verb}`, { body }),
      )
    }
    assert.equal(await whoami(service, other), 200)
    assert.equal(refusalOf(await manage(service, token, 'GET', '/tokens')).code, 'permission-denied')
  })

  test('an account-manager can revoke sessions of accounts without further permissions, but not of operators', async () => {
    const manager = await addManager(service, 'account-manager')
    const token = await managementToken(service, manager)
    const bob = await addPerson(service)
    const theirs = await logIn(service, bob)
    const { body } = await manage(service, token, 'GET', '/tokens', { query: `?account=${bob.username}` })
    assert.deepEqual(
      body.tokens.map((one: { session_id: string }) => one.session_id),
      [sessionOf(theirs)],
    )
    const revoked = await manage(service, token, 'POST', `/tokens/${sessionOf(theirs)}/revoke`)
    assert.deepEqual([revoked.status, revoked.body.revoked_by], [200, manager.username])
    assert.equal(await whoami(service, theirs), 401)
    for (const roles of [['operator'], ['viewer acme'], ['auditor']]) {
      const above = await logIn(service, await addManager(service, ...roles))
      const refused = await manage(service, token, 'POST', `/tokens/${sessionOf(above)}/revoke`)
      assert.equal(refusalOf(refused).code, 'permission-denied', roles.join())
      assert.equal(await whoami(service, above), 200)
    }
    const auditor = await managerToken(service, 'auditor')
    assert.equal((await manage(service, auditor, 'GET', '/tokens')).status, 200)
    const { code } = refusalOf(await manage(service, auditor, 'POST', `/tokens/${sessionOf(token)}/revoke`))
    assert.equal(code, 'permission-denied')
    const soon = new Date(service.now().getTime() + DAY).toISOString()
    const ending = await manage(service, token, 'GET', '/tokens', { query: `?ends_before=${soon}` })
    assert.ok(ending.body.tokens.every((one: { kind: string }) => one.kind === 'management'))
    assert.equal(
      refusalOf(await manage(service, token, 'GET', '/tokens', { query: '?account=unknown' })).code,
      'no-such-record',
    )
  })

  test('the API description needs no authentication', async () => {
    const { body } = await call(service, 'GET', '/api/management/v1/openapi.json')
    assert.ok(Object.keys(body.paths).length > 15)
  })
})

eachDatabase((_kind, _open, fresh) => {
  const off = testService(fresh, { RATAFIA_MANAGEMENT: 'off' })
  const elsewhere = testService(fresh, { RATAFIA_MANAGEMENT_FROM: '192.0.2.0/24, 2001:db8::/32' })
  const here = testService(fresh, { RATAFIA_MANAGEMENT_FROM: '127.0.0.0/8' })

  test('RATAFIA_MANAGEMENT and RATAFIA_MANAGEMENT_FROM decide whether the API is available', async () => {
    for (const [service, status] of [
      [off, 404],
      [elsewhere, 404],
      [here, 200],
    ] as const) {
      for (const [method, path] of [
        ['POST', '/tokens/root'],
        ['GET', '/openapi.json'],
      ] as const) {
        const answer = await fetch(`${service.baseUrl}/api/management/v1${path}`, { method })
        assert.equal(answer.status, status, path)
      }
      assert.equal(
        (await fetch(`${service.baseUrl}/api/management/v1/me`)).status,
        status === 404 ? 404 : 401,
      )
      // The rest of the service is available to all.
      assert.equal((await fetch(`${service.baseUrl}/api/v2/tokens`, { method: 'POST' })).status, 200)
    }
  })

  const limited = testService(fresh, { RATAFIA_RATE_LIMITS: 'management-account=5/1m' })
  test('an account with too many requests must wait, from any address', async () => {
    const token = await managerToken(limited, 'viewer acme')
    const statuses = []
    for (let times = 0; times < 7; times++) statuses.push((await manage(limited, token, 'GET', '/me')).status)
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429])
  })
})
