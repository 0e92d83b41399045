/** Guarantee: a tool that uses the Ubuntu One dialect can log in, and its session is like any other. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Username } from '@ratafia/api'
import { addFirstPartyCaveat } from '@ratafia/macaroon'
import { eachDatabase } from '../support/databases.ts'
import {
  addPublisher,
  bound,
  caveatIdOf,
  decoded,
  encoded,
  getPasswordRoot,
  logInWithPassword,
  loginRefusalOf,
  PASSWORD,
  type Pair,
  pairHeader,
  refresh,
  requestDischarge,
} from '../support/publishers.ts'
import { type Answer, bearing, call, refusalOf, sessionIdOf, testService } from '../support/service.ts'

const conditions = (text: string): string[] =>
  decoded(text).caveats.map(({ id }) => Buffer.from(id).toString())

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const whoami = (headers: Record<string, string>): Promise<Answer> =>
    call(service, 'GET', '/api/v2/tokens/whoami', { headers })
  const sessionsOf = async (headers: Record<string, string>) =>
    (await call(service, 'GET', '/api/v2/tokens', { headers })).body.macaroons
  const revoke = (headers: Record<string, string>, id: string): Promise<Answer> =>
    call(service, 'POST', '/api/v2/tokens/revoke', { headers, body: { 'session-id': id } })

  test('the root has version 1, identifier and caveat id as text, and the caveats of any root', async () => {
    const body = { permissions: ['package_access'], channels: ['edge'], expires: '2099-01-01 00:00:00' }
    const root = decoded(await getPasswordRoot(service, { body }))
    assert.equal(root.version, 1)
    assert.match(Buffer.from(root.id).toString(), /^[A-Za-z0-9_-]+$/)
    assert.equal(root.location, new URL(service.baseUrl).host)
    const [until, since, session, caveat, extra, ...more] = root.caveats
    assert.deepEqual(more, [])
    assert.match(Buffer.from(until?.id ?? []).toString(), /^time-before 2099-01-01T00:00:00\.000000Z$/)
    assert.match(Buffer.from(since?.id ?? []).toString(), /^time-since \d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/)
    assert.match(Buffer.from(session?.id ?? []).toString(), /^session-id [0-9a-f-]{36}$/)
    assert.match(Buffer.from(caveat?.id ?? []).toString(), /^[A-Za-z0-9+/]+=*$/)
    assert.equal(caveat?.location, new URL(service.baseUrl).host)
    assert.equal(
      Buffer.from(extra?.id ?? []).toString(),
      'extra {"channel": ["edge"], "package_id": null, "acl": ["package_access"], "store_ids": null}',
    )
  })

  test('the discharge opens the session, which works, is listed and can be revoked', async () => {
    const person = await addPublisher(service)
    const at = service.now()
    service.hold(at)
    const pair = await logInWithPassword(service, person, {
      body: { permissions: ['package_access', 'package_push'], description: 'snapcraft@laptop' },
    }).finally(() => service.hold(undefined))
    const discharge = decoded(pair.discharge)
    assert.equal(discharge.version, 1)
    assert.equal(Buffer.from(discharge.id).toString(), caveatIdOf(pair.root))
    assert.equal(discharge.location, new URL(service.baseUrl).host)
    const [declared = '', end = '', given = '', ...more] = conditions(pair.discharge)
    assert.deepEqual(more, [])
    assert.equal(declared, `declared userid ${person.id}`)
    const [until, since] = [end, given].map((one) => new Date(one.split(' ')[1] ?? ''))
    assert.deepEqual([since, until], [at, new Date(at.getTime() + 86_400_000)])

    const { status, body } = await whoami(pairHeader(pair))
    assert.equal(status, 200)
    assert.deepEqual(body.permissions, ['package_access', 'package_push'])
    assert.equal(body.account.email, person.email)
    assert.equal(
      `time-before ${body.expires}000Z`,
      conditions(pair.root)[0],
      'the root expires, not the discharge',
    )

    const [session] = await sessionsOf(pairHeader(pair))
    assert.equal(session.description, 'snapcraft@laptop')
    assert.equal(session['session-id'], sessionIdOf(decoded(pair.root)))
    assert.equal((await revoke(pairHeader(pair), session['session-id'])).status, 200)
    const refused = refusalOf(await whoami(pairHeader(pair)))
    assert.equal(refused.code, 'macaroon-authorization-required')
    assert.match(refused.message, /revoked at .* by publisher-/)
    assert.equal(loginRefusalOf(await refresh(service, pair.discharge)).code, 'INVALID_CREDENTIALS')
  })

  test('lists a credential that was never used', async () => {
    const person = await addPublisher(service)
    const first = await logInWithPassword(service, person)
    const unused = await logInWithPassword(service, person, { headers: { 'user-agent': 'surl/0.7.2 x' } })
    const sessions = await sessionsOf(pairHeader(first))
    const found = sessions.find(
      (one: Record<string, string>) => one['session-id'] === sessionIdOf(decoded(unused.root)),
    )
    assert.equal(found?.description, 'surl/0.7.2')
  })

  test('accepts the username instead of the e-mail address, in any case, and ignores unknown keys', async () => {
    const person = await addPublisher(service)
    for (const email of [person.username, person.username.toUpperCase()]) {
      const root = await getPasswordRoot(service)
      const login = { password: PASSWORD, email, caveat_id: caveatIdOf(root), otp: '', remember: true }
      const { status, body } = await requestDischarge(service, login)
      assert.equal(status, 200)
      assert.equal((await whoami(pairHeader({ root, discharge: body.discharge_macaroon }))).status, 200)
    }
  })

  test('accepts an e-mail address in each of its spellings, and counts wrong passwords for all of them together', async () => {
    const { username } = await addPublisher(service)
    const { accounts } = service.installation
    const { id } = (await accounts.findByUsername(username as Username)) ?? assert.fail()
    await accounts.edit(id, { email: `${username}.zoë@exämple.com` })
    const logIn = async (email: string, password = PASSWORD) =>
      requestDischarge(service, { email, password, caveat_id: caveatIdOf(await getPasswordRoot(service)) })
    const spellings = [
      `${username}.zoë@exämple.com`,
      `${username}.zoe\u0308@exa\u0308mple.com`,
      `${username}.ZOË@EXÄMPLE.COM`,
      `${username}.zoë@xn--exmple-cua.com`,
      ` mailto:${username}.zoë@exämple.com`,
    ]
    for (const email of spellings) assert.equal((await logIn(email)).status, 200, email)
    const codes = []
    for (let attempt = 0; attempt < 11; attempt++) {
      codes.push((await logIn(spellings[attempt % spellings.length] ?? '', 'wrong password')).status)
    }
    assert.equal(codes.at(-1), 429, codes.join(' '))
  })

  test('the same person can discharge a root again, but no other', async () => {
    const [person, other] = [await addPublisher(service), await addPublisher(service)]
    const { root } = await logInWithPassword(service, person)
    const login = { password: PASSWORD, caveat_id: caveatIdOf(root) }
    const again = await requestDischarge(service, { ...login, email: person.username })
    assert.equal(again.status, 200)
    assert.equal((await sessionsOf(pairHeader({ root, discharge: again.body.discharge_macaroon }))).length, 1)
    const others = await requestDischarge(service, { ...login, email: other.username })
    assert.equal(loginRefusalOf(others).code, 'INVALID_CREDENTIALS')
  })

  test('reads the header in every spelling: quoted or not, in any case, and a plain token as Bearer', async () => {
    const pair = await logInWithPassword(service, await addPublisher(service))
    const discharge = bound(pair)
    for (const authorization of [
      `Macaroon root="${pair.root}", discharge="${discharge}"`,
      `macaroon root=${pair.root},discharge=${discharge}`,
      `MACAROON discharge=${discharge}, root=${pair.root}`,
    ]) {
      assert.equal((await whoami({ authorization })).status, 200, authorization)
    }
    const { body } = await call(service, 'POST', '/api/v2/tokens/exchange', {
      headers: pairHeader(pair),
      body: {},
    })
    for (const scheme of ['Bearer', 'bearer', 'Macaroon']) {
      assert.equal((await whoami({ authorization: `${scheme} ${body.macaroon}` })).status, 200)
    }
    assert.equal((await whoami(bearing(pair.root))).status, 401)
  })

  describe('a stale discharge', () => {
    const stale = async (): Promise<Pair> => {
      const pair = await logInWithPassword(service, await addPublisher(service))
      service.advance(25 * 3_600_000)
      return pair
    }

    test('gets needs_refresh, can be refreshed any number of times, and then works', async () => {
      const pair = await stale()
      const answer = await whoami(pairHeader(pair))
      assert.equal(answer.status, 401)
      assert.equal(answer.headers.get('www-authenticate'), 'Macaroon needs_refresh=1')
      const [error] = answer.body['error-list']
      assert.equal(error.code, 'macaroon-needs-refresh')
      assert.equal(error.message, `Expired macaroon (age: ${error.extra.age} seconds)`)
      assert.deepEqual(Object.keys(error.extra), ['age'])
      assert.ok(error.extra.age >= 25 * 3600 && error.extra.age < 26 * 3600)

      for (let time = 0; time < 2; time++) {
        const { status, body } = await refresh(service, pair.discharge)
        assert.equal(status, 200)
        const fresh = body.discharge_macaroon
        const [before, after] = [pair.discharge, fresh].map(decoded)
        assert.deepEqual(after?.id, before?.id)
        assert.equal(after?.location, before?.location)
        assert.deepEqual(
          [conditions(fresh)[0], conditions(fresh)[2]],
          [conditions(pair.discharge)[0], conditions(pair.discharge)[2]],
        )
        assert.equal((await whoami(pairHeader({ ...pair, discharge: fresh }))).status, 200)
      }
    })

    test('keeps the caveats that its holder added', async () => {
      const pair = await stale()
      const extra =
        'extra {"channel": null, "package_id": null, "acl": ["package_access"], "store_ids": null}'
      const narrowed = encoded(addFirstPartyCaveat(decoded(pair.discharge), extra))
      const { body } = await refresh(service, narrowed)
      assert.deepEqual(conditions(body.discharge_macaroon).slice(3), [extra])
      const answer = await whoami(pairHeader({ ...pair, discharge: body.discharge_macaroon }))
      assert.deepEqual(answer.body.permissions, ['package_access'])
    })

    test('needs a new login once an expiry that its holder added has passed', async () => {
      const pair = await logInWithPassword(service, await addPublisher(service))
      const end = `time-before ${new Date(service.now().getTime() + 60_000).toISOString()}`
      const discharge = encoded(addFirstPartyCaveat(decoded(pair.discharge), end))
      assert.equal((await whoami(pairHeader({ ...pair, discharge }))).status, 200)
      service.advance(61_000)
      assert.match(refusalOf(await whoami(pairHeader({ ...pair, discharge }))).message, /expired at/)
    })
  })
})
