/** Guarantee: passwords are accepted only if the operator lets programs send them, and never in plain text. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setPassword } from '../support/accounts.ts'
import { oneDatabase } from '../support/databases.ts'
import {
  addPublisher,
  caveatIdOf,
  decoded,
  getPasswordRoot,
  logInWithPassword,
  loginRefusalOf,
  PASSWORD,
  pairHeader,
  refresh,
  requestDischarge,
} from '../support/publishers.ts'
import { call, dischargeFor, getRoot, presenting, refusalOf, testService } from '../support/service.ts'

oneDatabase((_kind, _open, fresh) => {
  describe('with RATAFIA_PASSWORD_LOGINS=off', () => {
    const service = testService(fresh, { RATAFIA_PASSWORD_LOGINS: 'off' })

    test('refuses roots and explains the alternative, and discharges and refreshes nothing', async () => {
      for (const path of ['/dev/api/acl/', '/v1/tokens/usso', '/publishergw/v1/tokens/usso']) {
        const { status, code, message } = refusalOf(await call(service, 'POST', path, { body: {} }))
        assert.deepEqual([status, code], [400, 'password-login-off'], path)
        assert.match(message, /ratafia tokens create/)
      }
      const answers = [
        await requestDischarge(service, { email: 'a', password: 'b', caveat_id: 'c' }),
        await refresh(service, 'x'),
      ]
      for (const answer of answers) assert.deepEqual(loginRefusalOf(answer).code, 'PASSWORD_LOGIN_OFF')
      assert.equal((await call(service, 'GET', '/identity/discharge/info')).body.PasswordLogins, false)
    })

    test('still accepts a credential that was exported with a browser or an agent', async () => {
      const person = await addPublisher(service)
      const slice = await dischargeFor(service, await getRoot(service), person)
      const { body } = await call(service, 'POST', '/api/v2/tokens/export', {
        headers: presenting(slice),
        body: {},
      })
      assert.equal(
        (await call(service, 'GET', '/api/v2/tokens/whoami', { headers: pairHeader(body) })).status,
        200,
      )
    })
  })

  describe('behind a trusted proxy', () => {
    const service = testService(fresh, { RATAFIA_TRUSTED_PROXIES: '127.0.0.1' })
    const discharge = async (headers: Record<string, string>) => {
      const person = await addPublisher(service)
      const login = {
        email: person.username,
        password: PASSWORD,
        caveat_id: caveatIdOf(await getPasswordRoot(service)),
      }
      return call(service, 'POST', '/api/v2/tokens/discharge', { headers, body: login })
    }
    const remote = { 'x-forwarded-for': '203.0.113.7' }

    test('accepts a password if each hop was encrypted, or the client is on this machine', async () => {
      for (const headers of [
        {},
        { ...remote, 'x-forwarded-proto': 'https' },
        { ...remote, 'x-forwarded-proto': 'HTTPS, https' },
        { 'x-forwarded-for': '::1', 'x-forwarded-proto': 'http' },
      ]) {
        assert.equal((await discharge(headers)).status, 200, JSON.stringify(headers))
      }
    })

    test('refuses a password otherwise', async () => {
      for (const headers of [
        remote,
        { ...remote, 'x-forwarded-proto': 'http' },
        { ...remote, 'x-forwarded-proto': 'https, http' },
        { ...remote, 'x-forwarded-proto': '' },
        { 'x-forwarded-for': '127.0.0.1, 203.0.113.7' },
      ]) {
        const refused = loginRefusalOf(await discharge(headers))
        assert.deepEqual([refused.status, refused.code], [401, 'HTTPS_REQUIRED'], JSON.stringify(headers))
        assert.match(refused.message, /RATAFIA_TRUSTED_PROXIES/)
      }
      const body = { discharge_macaroon: 'x' }
      const refreshed = await call(service, 'POST', '/api/v2/tokens/refresh', { headers: remote, body })
      assert.equal(loginRefusalOf(refreshed).code, 'HTTPS_REQUIRED')
    })
  })

  describe('with other settings', () => {
    const service = testService(fresh, {
      RATAFIA_LOGIN_HOST: 'Login.example.com:8443',
      RATAFIA_DISCHARGE_LIFETIME: '1h',
      RATAFIA_DEVELOPER_ACCOUNT: 'off',
      RATAFIA_IDENTITY_CONDITION: 'username',
    })

    test('a discharge has the configured location, lifetime and identity', async () => {
      const person = await addPublisher(service)
      const pair = await logInWithPassword(service, person)
      const [root, discharge] = [decoded(pair.root), decoded(pair.discharge)]
      const caveat = root.caveats.find(({ verificationId }) => verificationId)
      assert.deepEqual(
        [caveat?.location, discharge.location],
        ['Login.example.com:8443', 'Login.example.com:8443'],
      )
      assert.equal(
        Buffer.from(discharge.caveats[0]?.id ?? []).toString(),
        `declared username ${person.username}`,
      )
      const whoami = () => call(service, 'GET', '/api/v2/tokens/whoami', { headers: pairHeader(pair) })
      assert.equal((await whoami()).status, 200)
      service.advance(3_600_001)
      assert.equal((await whoami()).body.error_list[0].code, 'macaroon-needs-refresh')
      assert.equal((await refresh(service, pair.discharge)).status, 200)
      assert.equal(
        (await call(service, 'GET', '/dev/api/account', { headers: pairHeader(pair) })).status,
        404,
      )
    })

    test('refreshes a login from right after a new password, but not one from before', async () => {
      const person = await addPublisher(service)
      const before = await logInWithPassword(service, person)
      await setPassword({ account: person.username, password: PASSWORD }, service.installation)
      const after = await logInWithPassword(service, person)
      assert.equal(loginRefusalOf(await refresh(service, before.discharge)).code, 'INVALID_CREDENTIALS')
      assert.equal((await refresh(service, after.discharge)).status, 200)
      assert.equal(
        (await call(service, 'GET', '/api/v2/tokens/whoami', { headers: pairHeader(after) })).status,
        200,
      )
    })
  })
})
