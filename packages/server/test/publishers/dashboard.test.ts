/**
 * Guarantee: the dashboard's half of an Ubuntu One login works: roots for each client, verification, account, export.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { disableAccount, setPassword } from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  addPublisher,
  caveatIdOf,
  decoded,
  getPasswordRoot,
  logInWithPassword,
  loginRefusalOf,
  PASSWORD,
  pairHeader,
  requestDischarge,
} from '../support/publishers.ts'
import {
  type Answer,
  bearing,
  call,
  dischargeFor,
  getRoot,
  logIn,
  presenting,
  refusalOf,
  sessionIdOf,
  testService,
} from '../support/service.ts'

const SNAPD = 'snapd/2.77 (series 16; classic) ubuntu/24.04 (amd64) linux/6.8.0'

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let person: Account
  before(async () => {
    person = await addPublisher(service)
  })
  const locationOf = async (headers: Record<string, string>): Promise<string> => {
    // `fetch` cannot set the Host header.
    const { request } = await import('node:http')
    const { hostname, port } = new URL(service.baseUrl)
    const body = await new Promise<string>((resolve, reject) => {
      const asked = request(
        { hostname, port, path: '/dev/api/acl/', method: 'POST', headers },
        async (answer) => {
          let text = ''
          for await (const chunk of answer) text += chunk
          resolve(text)
        },
      )
      asked.on('error', reject).end('{}')
    })
    const root = decoded(JSON.parse(body).macaroon)
    return root.caveats.find(({ verificationId }) => verificationId)?.location ?? ''
  }

  test('the location of the caveat is the host that the client compares it with', async () => {
    const own = new URL(service.baseUrl).host
    for (const [headers, location] of [
      [{}, own],
      [{ host: 'somewhere.example' }, own],
      [{ host: 'dashboard.snapcraft.io' }, 'login.ubuntu.com'],
      [{ host: 'Dashboard.Snapcraft.io:443' }, 'login.ubuntu.com'],
      [{ host: 'dashboard.staging.snapcraft.io' }, 'login.staging.ubuntu.com'],
      [{ 'user-agent': SNAPD }, 'login.ubuntu.com'],
      [{ 'user-agent': 'snapcraft/9.1 snapd/2.77' }, own],
    ] as const) {
      assert.equal(await locationOf(headers), location, JSON.stringify(headers))
    }
  })

  test('a session without a description is named after the program that logged in', async () => {
    for (const [agent, description] of [
      [SNAPD, 'snapd/2.77'],
      ['surl/0.7.2', 'surl/0.7.2'],
      ['x'.repeat(200), null],
    ] as const) {
      const pair = await logInWithPassword(service, person, { headers: { 'user-agent': agent } })
      const { macaroons } = (await call(service, 'GET', '/api/v2/tokens', { headers: pairHeader(pair) })).body
      const id = sessionIdOf(decoded(pair.root))
      assert.equal(
        macaroons.find((one: Record<string, string>) => one['session-id'] === id).description,
        description,
      )
    }
    const long = '\u{1f600}'.repeat(512)
    const pair = await logInWithPassword(service, person, { body: { description: long } })
    const { macaroons } = (await call(service, 'GET', '/api/v2/tokens', { headers: pairHeader(pair) })).body
    const id = sessionIdOf(decoded(pair.root))
    const { description } = macaroons.find((one: Record<string, string>) => one['session-id'] === id)
    assert.ok(
      description.endsWith('…') && long.startsWith(description.slice(0, -1)),
      'a long description is shortened',
    )
  })

  describe('verify/', () => {
    const verify = (authorization: string, more: object = {}): Promise<Answer> =>
      call(service, 'POST', '/dev/api/acl/verify/', { body: { auth_data: { authorization, ...more } } })

    test('returns the account and limits of a valid login', async () => {
      const body = {
        permissions: ['package_access'],
        channels: ['edge'],
        packages: [{ name: 'foo', series: '16' }],
      }
      const before = service.now().getTime()
      const pair = await logInWithPassword(service, person, { body })
      const more = { http_uri: 'https://store.example/x', http_method: 'GET' }
      const answer = await verify(pairHeader(pair)['authorization'] ?? '', more)
      assert.equal(answer.status, 200)
      const { expires, last_auth, ...rest } = answer.body
      assert.deepEqual(rest, {
        allowed: true,
        refresh_required: false,
        account: { openid: person.id, email: person.email, displayname: person.name, verified: true },
        permissions: ['package_access'],
        snap_ids: ['foo'],
        channels: ['edge'],
        store_ids: null,
        device: null,
        device_refresh_required: false,
      })
      assert.ok(Date.parse(last_auth) >= before && Date.parse(last_auth) <= service.now().getTime() + 6_000)
      assert.ok(Date.parse(expires) > before)
    })

    test('accepts a plain token in either scheme', async () => {
      const token = await logIn(service, person)
      for (const scheme of ['Macaroon', 'Bearer']) {
        const { body } = await verify(`${scheme} ${token}`)
        assert.deepEqual([body.allowed, body.last_auth], [true, null])
      }
    })

    test('answers 200 to every well-formed body, and reveals nothing about the account if it refuses', async () => {
      const no = { allowed: false, refresh_required: false }
      const other = await addPublisher(service)
      const pair = await logInWithPassword(service, other)
      const { authorization = '' } = pairHeader(pair)
      for (const text of [
        'x',
        'Macaroon',
        'Macaroon root=',
        `Macaroon ${pair.root}`,
        'Basic eA==',
        'Macaroon AgEC',
        ' ',
      ]) {
        const { status, body } = await verify(text)
        assert.deepEqual([status, body], [200, no], text)
      }
      service.advance(25 * 3_600_000)
      assert.deepEqual((await verify(authorization)).body, { allowed: false, refresh_required: true })
      await disableAccount(other.username, service.installation)
      assert.deepEqual((await verify(authorization)).body, no)
      for (const body of [{}, { auth_data: {} }, { auth_data: { authorization: '' } }, { auth_data: 'x' }]) {
        const answer = await call(service, 'POST', '/dev/api/acl/verify/', { body })
        assert.equal(answer.status, 400, JSON.stringify(body))
      }
    })
  })

  test('/dev/api/account returns what snapcraft 4 to 6 read after a login', async () => {
    const pair = await logInWithPassword(service, person)
    const { status, body } = await call(service, 'GET', '/dev/api/account', { headers: pairHeader(pair) })
    assert.equal(status, 200)
    assert.deepEqual(body, {
      account_id: person.id,
      id: person.id,
      email: person.email,
      username: person.username,
      displayname: person.name,
      account_keys: [],
      'account-keys': [],
      snaps: { '16': {} },
    })
    assert.equal((await call(service, 'GET', '/dev/api/account')).status, 401)
  })

  describe('an export', () => {
    const exported = async (request: object = {}, of = person) => {
      const slice = await dischargeFor(service, await getRoot(service, request), of)
      const answer = await call(service, 'POST', '/api/v2/tokens/export', {
        headers: presenting(slice),
        body: {},
      })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      return answer.body
    }
    const whoami = (headers: Record<string, string>) =>
      call(service, 'GET', '/api/v2/tokens/whoami', { headers })

    test('is one session in every form, within the limits of its root', async () => {
      const made = await exported({
        permissions: ['package_access'],
        channels: ['edge'],
        description: 'CI of foo',
      })
      for (const headers of [pairHeader(made), bearing(made.macaroon)]) {
        const { status, body } = await whoami(headers)
        assert.equal(status, 200)
        assert.deepEqual([body.permissions, body.channels], [['package_access'], ['edge']])
      }
      const ids = [made.root, made.macaroon].map((one) => sessionIdOf(decoded(one)))
      assert.deepEqual(ids, [made['session-id'], made['session-id']])
      const { macaroons } = (await call(service, 'GET', '/api/v2/tokens', { headers: pairHeader(made) })).body
      assert.equal(
        macaroons.find((one: Record<string, string>) => one['session-id'] === ids[0]).description,
        'CI of foo',
      )
      const revoke = { headers: bearing(made.macaroon), body: { 'session-id': made['session-id'] } }
      assert.equal((await call(service, 'POST', '/api/v2/tokens/revoke', revoke)).status, 200)
      assert.match(refusalOf(await whoami(pairHeader(made))).message, /was revoked at/)
    })

    test('has a discharge that expires with the session, and like tokens survives a new password', async () => {
      const owner = await addPublisher(service)
      const made = await exported({}, owner)
      await setPassword({ account: owner.username, password: PASSWORD }, service.installation)
      service.advance(360 * 86_400_000)
      assert.equal((await whoami(pairHeader(made))).status, 200)
      service.advance(6 * 86_400_000)
      assert.match(refusalOf(await whoami(pairHeader(made))).message, /^The macaroon expired at/)
    })

    test('has a root that no other account can discharge', async () => {
      const made = await exported()
      const other = await addPublisher(service)
      const login = { email: other.username, password: PASSWORD, caveat_id: caveatIdOf(made.root) }
      assert.equal(loginRefusalOf(await requestDischarge(service, login)).code, 'INVALID_CREDENTIALS')
    })
  })

  test('a root is refused for the same reasons as in the specified API', async () => {
    for (const [body, code] of [
      [{ permissions: ['x'] }, 'invalid-field'],
      [{ expires: '2001-01-01T00:00:00Z' }, 'invalid-field'],
      [{ what: 1 }, 'invalid-request'],
      ['{', 'invalid-request'],
    ] as const) {
      const refused = await call(service, 'POST', '/dev/api/acl/', { body })
      assert.equal(refusalOf(refused).code, code)
      assert.equal(refused.body.title, refusalOf(refused).message, 'surl shows only the title')
    }
    await getPasswordRoot(service)
  })
})
