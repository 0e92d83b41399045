/** The identity service's discharge protocol over HTTP, on every database. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { encodeBase64 } from '@ratafia/macaroon'
import { encodeCaveatId, generateKeyPair } from '@ratafia/macaroon/bakery'
import type { Database } from '../../src/database/index.ts'
import { Unavailable } from '../../src/errors.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  answer,
  caveatFor,
  type IdentityWorld,
  identityWorld,
  postDischarge,
  type RunningIdentity,
  startIdentity,
} from '../support/identity.ts'

const USERID = 'need-declared userid is-authenticated-userid'

eachDatabase((_kind, open) => {
  let database: Database
  let world: IdentityWorld
  let identity: RunningIdentity
  const url = (path: string) => `${identity.location}${path}`
  const get = async (path: string, headers: Record<string, string> = {}) =>
    answer(await fetch(url(path), { headers }))

  before(async () => {
    database = await open()
    world = await identityWorld(database)
    identity = await startIdentity(world)
  })
  after(() => identity.app.close())

  test('answers discharge/info and publickey with the newest key as JSON', async () => {
    const [newest] = await world.keyring.dischargerKeyPairs()
    const key = encodeBase64(newest.publicKey)
    const info = await get('/discharge/info')
    const facts = { PublicKey: key, Version: 3, RequestSummary: true, PasswordLogins: false, Login: true }
    assert.deepEqual([info.status, info.body], [200, facts])
    assert.equal(info.headers.get('content-type'), 'application/json')
    assert.deepEqual((await get('/publickey')).body, { PublicKey: key })
  })

  test('doubled slashes, as JavaScript clients send them, lead to the same place', async () => {
    assert.equal((await get('//discharge/info')).status, 200)
    assert.equal((await answer(await fetch(url('//discharge'), { method: 'POST' }))).body.Code, 'bad request')
  })

  for (const version of [1, 2, 3] as const) {
    for (const how of ['form', 'query'] as const) {
      test(`a caveat of version ${version} in a ${how} needs a login, with status 401 and never 407, for every method`, async () => {
        const caveat = await caveatFor(world.keyring, USERID, { version })
        const { status, headers, body } = await postDischarge(identity.location, caveat, undefined, { how })
        assert.equal(status, 401)
        assert.equal(headers.get('content-type'), 'application/json')
        assert.equal(headers.get('www-authenticate'), 'Macaroon')
        assert.equal(headers.get('cache-control'), 'no-store')
        assert.equal(body.Code, 'interaction required')
        assert.ok(body.Message)
        const methods = body.Info.InteractionMethods
        assert.deepEqual(Object.keys(methods).sort(), ['agent', 'browser-redirect', 'browser-window'])
        assert.ok(methods['browser-window'].VisitURL.startsWith(`${identity.location}/login?did=`))
        assert.ok(methods['browser-window'].WaitTokenURL.startsWith(`${identity.location}/wait-token?did=`))
        assert.ok(methods.agent['login-url'].startsWith(`${identity.location}/login/agent?did=`))
      })
    }
  }

  test('without a protocol header, and with an old one, the answer is the same 401', async () => {
    const caveat = await caveatFor(world.keyring, USERID)
    for (const header of ['0', '1', '99', 'x', '']) {
      const headers = { 'Bakery-Protocol-Version': header }
      assert.equal((await postDischarge(identity.location, caveat, undefined, { headers })).status, 401)
    }
  })

  test('accepts an id as text with control characters (Python) or as any base64', async () => {
    const caveat = await caveatFor(world.keyring, USERID, { version: 3 })
    const caveat64 = Buffer.from(caveat.payload ?? []).toString('base64url')
    for (const parameters of [`id=%03%00`, 'id64=AwA', 'id64=AwA%3D', 'id=wrong&id64=AwA']) {
      const body = `${parameters}&caveat64=${caveat64}`
      const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
      const { body: result } = await answer(await fetch(url('/discharge'), { method: 'POST', body, headers }))
      assert.equal(result.Code, 'interaction required', parameters)
    }
    const long = await caveatFor(world.keyring, USERID, { version: 2 })
    for (const encoding of ['base64', 'base64url'] as const) {
      for (const padded of [true, false]) {
        const bare = Buffer.from(long.id).toString(encoding).replace(/=+$/, '')
        const id64 = padded ? bare + '='.repeat((4 - (bare.length % 4)) % 4) : bare
        const query = new URLSearchParams({ id64 })
        const { body } = await answer(await fetch(url(`/discharge?${query}`), { method: 'POST' }))
        assert.equal(body.Code, 'interaction required')
      }
    }
  })

  const bad: readonly [string, string, RegExp][] = [
    ['no id', '', /"id" or "id64" is missing/],
    ['an empty id', 'id=', /"id" or "id64" is missing/],
    ['the id twice', 'id=a&id=b', /"id" is given more than once/],
    ['the payload twice', 'id=a&caveat64=AA&caveat64=AA', /"caveat64" is given more than once/],
    ['an id64 that is not base64', 'id64=!!!', /"id64" is not base64/],
    ['an id64 with mixed alphabets', 'id64=-%2B%2B-', /"id64" is not base64/],
    ['a payload that is not base64', 'id=a&caveat64=%25', /"caveat64" is not base64/],
    ['a short id without its payload', 'id64=AwA', /cannot be discharged/],
    ['an unknown caveat version', 'id64=BAAA', /cannot be discharged/],
    ['garbage', 'id=eyJhbGciOiJub25lIn0', /cannot be discharged/],
    ['a token without its kind', 'id=a&token=x', /"token-kind"/],
    ['a discharge for another user', 'id=a&discharge-for-user=bob', /"discharge-for-user"/],
  ]
  for (const [what, query, message] of bad) {
    test(`answers 400 to ${what}`, async () => {
      const { status, body } = await answer(await fetch(url(`/discharge?${query}`), { method: 'POST' }))
      assert.deepEqual([status, body.Code], [400, 'bad request'])
      assert.match(body.Message, message)
    })
  }

  test('treats an empty chunked body without a type as no body, because Go sends it with its query', async () => {
    const caveat = await caveatFor(world.keyring, USERID)
    const query = new URLSearchParams({ id64: Buffer.from(caveat.id).toString('base64url') })
    const request = httpRequest(url(`/discharge?${query}`), { method: 'POST' })
    request.setHeader('Transfer-Encoding', 'chunked')
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    assert.equal((JSON.parse(await text(response)) as { Code: string }).Code, 'interaction required')
  })

  test('answers 400 to a parameter that is both in the query and in the form', async () => {
    const body = new URLSearchParams({ id: 'a' })
    const result = await answer(await fetch(url('/discharge?id=a'), { method: 'POST', body }))
    assert.match(result.body.Message, /more than once/)
  })

  test('answers 400 to a body that is not a form, or is too large', async () => {
    for (const [type, body] of [
      ['application/json', '{}'],
      ['text/plain', 'id=a'],
      ['application/x-www-form-urlencoded', `id=${'a'.repeat(70_000)}`],
    ] as const) {
      const headers = { 'content-type': type }
      const result = await answer(await fetch(url('/discharge'), { method: 'POST', body, headers }))
      assert.deepEqual([result.status, result.body.Code], [400, 'bad request'], type)
    }
  })

  for (const condition of [
    ...['need-declared userid is-member-of admins', 'is-authenticated-user @ldap', '<is-authenticated-user'],
    ...['is-authenticated-userid for everything', 'is-authenticated-userid for {"service":1}'],
    ...['time-before 2099-01-01T00:00:00Z', 'need-declared userid', 'need-declared  is-authenticated-user'],
  ]) {
    test(`refuses the condition ${JSON.stringify(condition)}`, async () => {
      const result = await postDischarge(identity.location, await caveatFor(world.keyring, condition))
      assert.deepEqual([result.status, result.body.Code], [401, 'permission denied'])
      assert.equal(result.headers.get('www-authenticate'), null)
    })
  }

  test('refuses a caveat that is sealed to a different key, but not to an earlier key', async () => {
    const elsewhere = encodeCaveatId({
      version: 2,
      condition: USERID,
      rootKey: Buffer.alloc(24, 1),
      thirdPartyPublicKey: generateKeyPair().publicKey,
      firstParty: generateKeyPair(),
    })
    const refused = await postDischarge(identity.location, { id: elsewhere, payload: undefined })
    assert.deepEqual([refused.status, refused.body.Code], [401, 'permission denied'])
    const before = await caveatFor(world.keyring, USERID)
    await world.keyring.rotateDischargerKeyPair()
    assert.equal((await postDischarge(identity.location, before)).body.Code, 'interaction required')
    assert.equal((await postDischarge(identity.location, await caveatFor(world.keyring, USERID))).status, 401)
  })

  test('reports an id that lost bytes because a client read it as text as damaged, not as for a different key', async () => {
    const { id } = await caveatFor(world.keyring, USERID)
    const damaged = Buffer.from(Buffer.from(id).toString('utf8'))
    const refused = await postDischarge(identity.location, { id: damaged, payload: undefined })
    assert.deepEqual([refused.status, refused.body.Code], [400, 'bad request'])
    assert.match(refused.body.Message, /damaged on its way: the client read its bytes as text/)
  })

  test('refuses a caveat whose root key could be guessed', async () => {
    const [discharger] = await world.keyring.dischargerKeyPairs()
    const id = encodeCaveatId({
      version: 2,
      condition: USERID,
      rootKey: Buffer.alloc(15, 1),
      thirdPartyPublicKey: discharger.publicKey,
      firstParty: generateKeyPair(),
    })
    const result = await postDischarge(identity.location, { id, payload: undefined })
    assert.deepEqual([result.status, result.body.Code], [401, 'permission denied'])
  })

  test('refuses tokens of unknown kinds, and invalid tokens of known ones', async () => {
    const caveat = await caveatFor(world.keyring, USERID)
    const unknown = await postDischarge(identity.location, caveat, { kind: 'macaroon', token: 'x' })
    assert.deepEqual([unknown.status, unknown.body.Code], [400, 'bad request'])
    assert.match(unknown.body.Message, /"login" and "agent"/)
    const texts = ['x', 'A'.repeat(200), encodeBase64(Buffer.alloc(300, 2))]
    for (const kind of ['login', 'agent']) {
      for (const token of texts) {
        const result = await postDischarge(identity.location, caveat, { kind, token })
        assert.deepEqual([result.status, result.body.Code], [401, 'permission denied'], `${kind} ${token}`)
      }
      const bytes = await postDischarge(identity.location, caveat, { kind, token64: '/+8=' })
      assert.equal(bytes.body.Code, 'permission denied')
    }
  })

  test('answers 404 in the bakery’s format to an unknown path', async () => {
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['GET', '/discharge'],
      ['POST', '/wait-token'],
      ['PUT', '/login'],
      ['DELETE', '/discharge/info'],
    ] as const) {
      const result = await answer(await fetch(url(path), { method }))
      assert.deepEqual([result.status, result.body.Code], [404, 'not found'], path)
      assert.equal(result.headers.get('content-type'), 'application/json')
    }
    assert.equal((await fetch(url('/wait-token'), { method: 'HEAD' })).status, 404)
  })

  test('the standalone identity service, without a prefix, answers in the same way', async () => {
    const alone = await startIdentity(world, {}, '')
    try {
      const info = await answer(await fetch(`${alone.location}/discharge/info`))
      assert.equal(info.status, 200)
      assert.equal((await answer(await fetch(`${alone.location}//discharge/info`))).status, 200)
      assert.equal((await answer(await fetch(`${alone.location}/nothing`))).body.Code, 'not found')
      const { body } = await postDischarge(alone.location, await caveatFor(world.keyring, USERID))
      assert.ok(
        body.Info.InteractionMethods['browser-window'].VisitURL.startsWith(`${alone.location}/login?did=`),
      )
    } finally {
      await alone.app.close()
    }
  })

  test('any number of discharges without a login writes nothing into any table', async () => {
    const tables = [
      'account',
      'agent',
      'sign_in_session',
      'completed_login',
      'token_session',
      'external_identity',
    ] as const
    const rows = async () => {
      const counts: Record<string, number> = {}
      for (const table of tables) {
        const { count } = await database.query
          .selectFrom(table)
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow()
        counts[table] = Number(count)
      }
      return counts
    }
    const before = await rows()
    const caveat = await caveatFor(world.keyring, USERID)
    for (let i = 0; i < 100; i++) await postDischarge(identity.location, caveat)
    assert.deepEqual(await rows(), before)
  })

  test('answers 503 to requests that need the database while it is unavailable', async () => {
    const away = await startIdentity({
      ...world,
      keyring: {
        ...world.keyring,
        dischargerKeyPairs: () => Promise.reject(new Unavailable('the database is away')),
      },
    })
    try {
      const result = await postDischarge(away.location, await caveatFor(world.keyring, USERID))
      assert.deepEqual([result.status, result.body.Code], [503, 'service unavailable'])
      assert.doesNotMatch(result.body.Message, /database/)
    } finally {
      await away.app.close()
    }
  })

  test('answers 500 to an internal error, without the cause', async () => {
    const broken = await startIdentity({
      ...world,
      keyring: { ...world.keyring, dischargerKeyPairs: () => Promise.reject(new Error('secret detail')) },
    })
    try {
      const result = await postDischarge(broken.location, await caveatFor(world.keyring, USERID))
      assert.deepEqual([result.status, result.body.Code], [500, 'internal error'])
      assert.doesNotMatch(result.body.Message, /secret/)
    } finally {
      await broken.app.close()
    }
  })
})
