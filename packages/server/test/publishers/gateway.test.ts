/** Guarantee: charmcraft and snapcraft with an on-premises store can use the gateway endpoints, under both prefixes. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { GATEWAY_PERMISSIONS } from '@ratafia/api'
import { decodeBase64, decodeBinary, encodeBase64 } from '@ratafia/macaroon'
import type { Account } from '../../src/accounts/account.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  addPublisher,
  bound,
  decoded,
  getPasswordRoot,
  logInWithPassword,
  type Pair,
  pairHeader,
  refresh,
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

const RAW = {
  body: {
    permissions: ['account-view-packages', 'package-manage'],
    ttl: 3600,
    packages: [{ type: 'charm', name: 'foo' }],
  },
}

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh, { RATAFIA_TOKEN_MAX_LIFETIME: '30d' })
  let person: Account
  before(async () => {
    person = await addPublisher(service)
  })
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    call(service, 'POST', path, { body, headers })
  const get = (path: string, headers: Record<string, string>): Promise<Answer> =>
    call(service, 'GET', path, { headers })

  for (const prefix of ['', '/publishergw']) {
    describe(`below ${prefix || 'the root'}`, () => {
      const login = (): Promise<Pair> =>
        logInWithPassword(service, person, { ...RAW, path: `${prefix}/v1/tokens/usso` })

      test('charmcraft can log in, and the session gets the description of the client', async () => {
        const pair = await login()
        for (const path of [
          '/v1/tokens/usso/exchange',
          '/v1/tokens/dashboard/exchange',
          '/v1/tokens/exchange',
        ]) {
          const described = { 'client-description': 'charmcraft@laptop' }
          const { status, body } = await post(`${prefix}${path}`, described, pairHeader(pair))
          assert.equal(status, 200, path)
          const answer = await get(`${prefix}/v1/tokens/whoami`, bearing(body.macaroon))
          assert.deepEqual(answer.body, {
            account: {
              id: person.id,
              username: person.username,
              email: person.email,
              'display-name': person.name,
              validation: 'unproven',
            },
            channels: null,
            packages: [{ type: 'charm', id: 'foo' }],
            permissions: ['account-view-packages', 'package-manage'],
          })
          const { macaroons } = (await get(`${prefix}/v1/tokens`, bearing(body.macaroon))).body
          const own = macaroons.find(
            (one: Record<string, string>) => one['session-id'] === sessionIdOf(decoded(pair.root)),
          )
          assert.equal(own.description, 'charmcraft@laptop')
          assert.ok(Date.parse(own['valid-until']) - Date.parse(own['valid-since']) <= 3_600_000)
        }
      })

      test('revokes a session with all its tokens', async () => {
        const pair = await login()
        const { body } = await post(`${prefix}/v1/tokens/usso/exchange`, {}, pairHeader(pair))
        const id = sessionIdOf(decoded(pair.root))
        const revoked = await post(`${prefix}/v1/tokens/revoke`, { 'session-id': id }, bearing(body.macaroon))
        assert.equal(revoked.body.macaroons[0]['session-id'], id)
        assert.equal((await get(`${prefix}/v1/tokens/whoami`, bearing(body.macaroon))).status, 401)
        assert.equal((await refresh(service, pair.discharge)).status, 401)
      })

      test('issues and exchanges the root of a bakery login with gateway permissions', async () => {
        const { body } = await post(`${prefix}/v1/tokens`, { permissions: ['store-view'], ttl: 60 })
        const slice = await dischargeFor(service, body.macaroon, person)
        const exchanged = await post(
          `${prefix}/v1/tokens/exchange`,
          { 'client-description': 'x' },
          presenting(slice),
        )
        const { permissions } = (await get('/api/v2/tokens/whoami', bearing(exchanged.body.macaroon))).body
        assert.deepEqual(permissions, ['store-view'])
      })

      test('keeps every gateway permission unchanged, and refuses other names', async () => {
        const pair = await logInWithPassword(service, person, {
          body: { permissions: [...GATEWAY_PERMISSIONS] },
          path: `${prefix}/v1/tokens/usso`,
        })
        const { body } = await get('/v1/tokens/whoami', pairHeader(pair))
        assert.deepEqual(body.permissions, [...GATEWAY_PERMISSIONS])
        for (const [asked, code] of [
          [{ permissions: ['package-admin'] }, 'invalid-field'],
          [{ ttl: 0 }, 'invalid-field'],
          [{ ttl: 1.5 }, 'invalid-field'],
          [{ ttl: '60' }, 'invalid-field'],
          [{ ttl: 31 * 86_400 }, 'invalid-field'],
          [{ expires: '2099-01-01T00:00:00Z' }, 'invalid-request'],
        ] as const) {
          for (const path of ['/v1/tokens/usso', '/v1/tokens']) {
            const refused = refusalOf(await post(`${prefix}${path}`, asked))
            assert.deepEqual([refused.status, refused.code], [400, code], JSON.stringify(asked))
          }
        }
        const snaps = refusalOf(await post('/dev/api/acl/', { permissions: ['package-manage'] }))
        assert.equal(snaps.code, 'invalid-field')
      })

      test('issues another token for a credential in any spelling, as an on-premises store requires', async () => {
        const pair = await login()
        const token = await logIn(service, person, { permissions: ['package_access'] })
        const bakery = await dischargeFor(service, await getRoot(service), person)
        const [macaroon] = decodeBinary(decodeBase64(token))
        const json = (value: unknown) => JSON.stringify(value)
        const base64 = (text: string) => encodeBase64(Buffer.from(text))
        const { root: r, discharge: d } = pair
        for (const credential of [
          token,
          encodeBase64(decodeBase64(token)),
          ` ${token}\n`,
          presenting([macaroon])['macaroons'],
          presenting(bakery)['macaroons'],
          `root=${r}, discharge=${bound(pair)}`,
          base64(json({ t: 'macaroon', v: token })),
          base64(json({ t: 'bearer', v: token })),
          base64(json({ t: 'u1-macaroon', v: { r, d } })),
          base64(json({ r, d })),
          json({ r, d }),
        ]) {
          const { status, body } = await post(`${prefix}/v1/tokens/offline/exchange`, {
            macaroon: credential,
          })
          assert.equal(status, 200, `${credential} ${json(body)}`)
          // snapcraft sends the scheme in lower case.
          const whoami = await get(`${prefix}/v1/tokens/whoami`, {
            authorization: `macaroon ${body.macaroon}`,
          })
          assert.equal(whoami.status, 200)
        }
        for (const credential of [
          'x',
          r,
          d,
          base64(json({ r })),
          base64(json({ t: 'u1-macaroon', v: { r, d: r } })),
          base64('null'),
        ]) {
          assert.equal(
            refusalOf(await post(`${prefix}/v1/tokens/offline/exchange`, { macaroon: credential })).status,
            401,
          )
        }
        assert.equal((await post(`${prefix}/v1/tokens/offline/exchange`, {})).status, 400)
      })
    })
  }

  test('another token of a session never permits more, and never lives longer', async () => {
    const token = await logIn(service, person, {
      permissions: ['package_access'],
      expires: new Date(service.now().getTime() + 60_000).toISOString(),
    })
    const { body } = await post('/v1/tokens/offline/exchange', { macaroon: token })
    const [first, further] = [token, body.macaroon].map(decoded)
    assert.ok(first && further)
    const of = ({ caveats }: typeof first) => caveats.map(({ id }) => Buffer.from(id).toString())
    assert.deepEqual(
      [of(further)[0], of(further)[2], of(further)[4]],
      [of(first)[0], of(first)[2], of(first)[4]],
    )
    assert.notDeepEqual(further.id, first.id)
  })

  test('other endpoints do not exchange a token, and paths with a missing or extra slash do not exist', async () => {
    const token = await logIn(service, person)
    for (const path of ['/v1/tokens/usso/exchange', '/v1/tokens/exchange', '/api/v2/tokens/export']) {
      assert.match(refusalOf(await post(path, {}, bearing(token))).message, /This is (already )?a token/)
    }
    for (const path of ['/dev/api/acl', '/dev/api/acl/verify', '/v1/tokens/usso/', '/dev/api/account/']) {
      assert.equal(refusalOf(await post(path, {})).code, 'not-found', path)
    }
  })

  test('answers 401 without a credential, whatever the body contains', async () => {
    for (const path of [
      '/v1/tokens/exchange',
      '/v1/tokens/usso/exchange',
      '/v1/tokens/revoke',
      '/api/v2/tokens/export',
    ]) {
      assert.equal(refusalOf(await post(path, '{')).status, 401, path)
    }
    await getPasswordRoot(service, { path: '/v1/tokens/usso' })
  })
})
