/** Tests every outcome of exchange, whoami, list and revoke. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { TokenRecord } from '@ratafia/api'
import { MacaroonResponseSchema, TokenListResponseSchema, WhoamiResponseSchema } from '@ratafia/api/schemas'
import { addFirstPartyCaveat, bindDischarge, decodeJson, encodeJson, mint } from '@ratafia/macaroon'
import { decodeCaveatId } from '@ratafia/macaroon/bakery'
import { Check } from 'typebox/value'
import type { Account } from '../../src/accounts/account.ts'
import { revokeToken } from '../../src/tokens/revoke.ts'
import { disableAccount, enableAccount } from '../support/accounts.ts'
import { importPackages } from '../support/as-operator.ts'
import { byOperator } from '../support/changes.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  type Answer,
  addPerson,
  bearing,
  call,
  dischargeFor,
  exchangeSlice,
  getRoot,
  logIn,
  macaroonOf,
  presenting,
  refusalOf,
  revokeSession,
  sessionIdOf,
  testService,
} from '../support/service.ts'

const DAY = 86_400_000
const UNAUTHORIZED = 'macaroon-authorization-required'

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let alice: Account
  let bob: Account
  before(async () => {
    alice = await addPerson(service, 'alice')
    bob = await addPerson(service, 'bob')
  })

  const exchangeWith = (headers: Record<string, string>, body: unknown = {}) =>
    call(service, 'POST', '/api/v2/tokens/exchange', { headers, body })
  const whoamiWith = (headers: Record<string, string>) =>
    call(service, 'GET', '/api/v2/tokens/whoami', { headers })
  const list = (token: string, query = '') =>
    call(service, 'GET', `/api/v2/tokens${query}`, { headers: bearing(token) })
  const revoke = (token: string, sessionId: unknown) => revokeSession(service, token, sessionId)
  const conditions = (token: string) => macaroonOf(token).caveats.map(({ id }) => Buffer.from(id).toString())
  const assertRefused = (answer: Answer, message: RegExp) => {
    const refusal = refusalOf(answer)
    assert.deepEqual([refusal.status, refusal.code], [401, UNAUTHORIZED], refusal.message)
    assert.match(refusal.message, message)
  }

  describe('exchange', () => {
    test('returns unpadded base64url of one version 2 macaroon with only first-party caveats, in order', async () => {
      const root = await getRoot(service, {
        permissions: ['package_access'],
        expires: '2099-01-01T00:00:00Z',
      })
      const { status, headers, body } = await exchangeWith(
        presenting(await dischargeFor(service, root, alice)),
      )
      assert.equal(status, 200)
      assert.equal(headers.get('content-type'), 'application/json')
      assert.ok(Check(MacaroonResponseSchema, body))
      assert.match(body.macaroon, /^[A-Za-z0-9_-]+$/)
      const token = macaroonOf(body.macaroon)
      assert.equal(token.version, 2)
      assert.ok(token.caveats.every(({ verificationId }) => verificationId === undefined))
      const [until, since, session, declared, extra, ...more] = conditions(body.macaroon)
      assert.deepEqual(more, [])
      assert.equal(until, 'time-before 2099-01-01T00:00:00.000000Z')
      assert.match(since ?? '', /^time-since /)
      assert.equal(session, `session-id ${sessionIdOf(decodeJson(JSON.parse(root)))}`)
      assert.equal(declared, `declared userid ${alice.id}`)
      assert.equal(
        extra,
        'extra {"channel": null, "package_id": null, "acl": ["package_access"], "store_ids": null}',
      )
      assert.notDeepEqual(token.id, decodeJson(JSON.parse(root)).id)
    })

    test('returns another token of the same session for the same root', async () => {
      const slice = await dischargeFor(service, await getRoot(service), alice)
      const [first, second] = [await exchangeSlice(service, slice), await exchangeSlice(service, slice)]
      assert.notEqual(first, second)
      assert.equal(sessionIdOf(macaroonOf(first)), sessionIdOf(macaroonOf(second)))
    })

    test('fifty simultaneous exchanges of one root open one session', async () => {
      const person = await addPerson(service)
      const slice = await dischargeFor(service, await getRoot(service), person)
      const tokens = await Promise.all(Array.from({ length: 50 }, () => exchangeSlice(service, slice)))
      assert.equal(new Set(tokens).size, 50)
      const { body } = await list(tokens[0] ?? '')
      assert.equal(body.macaroons.length, 1)
    })

    test('answers 401 if another person presents the same root, in either order', async () => {
      const root = await getRoot(service)
      await exchangeSlice(service, await dischargeFor(service, root, alice))
      assertRefused(await exchangeWith(presenting(await dischargeFor(service, root, bob))), /another login/)
      const raced = await getRoot(service)
      const answers = await Promise.all(
        [alice, bob, alice, bob].map(async (person) =>
          exchangeWith(presenting(await dischargeFor(service, raced, person))),
        ),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 401, 401])
    })

    test('answers 401 after the session was revoked', async () => {
      const slice = await dischargeFor(service, await getRoot(service), alice)
      const token = await exchangeSlice(service, slice)
      await revoke(token, sessionIdOf(macaroonOf(token)))
      assertRefused(await exchangeWith(presenting(slice)), /revoked at \d{4}-.* by alice/)
    })

    test('answers 401 after the root or the discharge has expired', async () => {
      const soon = new Date(service.now().getTime() + DAY / 2).toISOString()
      const short = await dischargeFor(service, await getRoot(service, { expires: soon }), alice)
      const long = await dischargeFor(service, await getRoot(service), alice)
      service.advance(2 * DAY)
      assertRefused(await exchangeWith(presenting(short)), /expired at \d{4}-/)
      assertRefused(await exchangeWith(presenting(long)), /discharge .* expired at \d{4}-/)
      service.advance(-2 * DAY)
    })

    test('answers 401 to a discharge first used after an hour, but not to one that had opened its session', async () => {
      const discharged = async () =>
        dischargeFor(service, await getRoot(service), alice, ({ id }) => [
          `declared userid ${id}`,
          `declared login ${service.now().getTime()} 0`,
          `time-before ${new Date(service.now().getTime() + DAY).toISOString()}`,
        ])
      const [latent, used] = [await discharged(), await discharged()]
      await exchangeSlice(service, used)
      service.advance(3_600_000 + 1_000)
      assertRefused(await exchangeWith(presenting(latent)), /was given at .* was not used within an hour/)
      assert.equal((await exchangeWith(presenting(used))).status, 200)
    })

    test('the expiry of the discharge does not limit the token', async () => {
      const token = await logIn(service, alice)
      service.advance(30 * DAY)
      assert.equal((await whoamiWith(bearing(token))).status, 200)
      service.advance(-30 * DAY)
    })

    for (const [name, body] of [
      ['a field', { macaroon: 'x' }],
      ['a list', []],
      ['no JSON', '{{'],
    ] as const) {
      test(`answers 400 to a body with ${name}`, async () => {
        const slice = await dischargeFor(service, await getRoot(service), alice)
        const refusal = refusalOf(await exchangeWith(presenting(slice), body))
        assert.deepEqual([refusal.status, refusal.code], [400, 'invalid-request'])
      })
    }

    test('reads an absent body as an empty object', async () => {
      const slice = await dischargeFor(service, await getRoot(service), alice)
      const { status } = await call(service, 'POST', '/api/v2/tokens/exchange', {
        headers: presenting(slice),
      })
      assert.equal(status, 200)
    })

    test('answers 401 to a token, a root alone, a discharge of another root, and a discharge that is bound twice', async () => {
      const root = decodeJson(JSON.parse(await getRoot(service)))
      const [, other] = await dischargeFor(service, await getRoot(service), alice)
      if (!other) throw new Error('no discharge')
      const token = macaroonOf(await logIn(service, alice))
      assertRefused(await exchangeWith(presenting([token])), /already a token/)
      assertRefused(await exchangeWith(presenting([root])), /does not verify/)
      assertRefused(await exchangeWith(presenting([root, other])), /does not verify/)
      const [mine, bound] = await dischargeFor(service, await getRoot(service), alice)
      if (!bound) throw new Error('no discharge')
      assertRefused(await exchangeWith(presenting([mine, bindDischarge(mine, bound)])), /does not verify/)
      assertRefused(await exchangeWith(presenting([mine, bound, other])), /does not verify/)
    })

    test('caveats that the holder added to the root narrow the token permanently', async () => {
      const root = decodeJson(
        JSON.parse(await getRoot(service, { permissions: ['package_access', 'package_push'] })),
      )
      const narrowed = [
        'time-before 2026-12-24T00:00:00Z',
        'extra {"acl": ["package_push"], "channel": ["edge"]}',
      ].reduce(addFirstPartyCaveat, root)
      const slice = await dischargeFor(service, JSON.stringify(encodeJson(narrowed)), alice)
      const [until, , , , extra, ...more] = conditions(await exchangeSlice(service, slice))
      assert.deepEqual(more, [])
      assert.equal(until, 'time-before 2026-12-24T00:00:00.000000Z')
      assert.equal(
        extra,
        'extra {"channel": ["edge"], "package_id": null, "acl": ["package_push"], "store_ids": null}',
      )
    })
  })

  describe('the identity', () => {
    const loginWith = async (conditionsOf: (person: Account) => readonly string[]) =>
      exchangeWith(presenting(await dischargeFor(service, await getRoot(service), alice, conditionsOf)))

    test('answers 401 to an identity appended to the root', async () => {
      const root = decodeJson(JSON.parse(await getRoot(service)))
      const forged = addFirstPartyCaveat(root, `declared userid ${bob.id}`)
      const text = JSON.stringify(encodeJson(forged))
      const answer = await exchangeWith(presenting(await dischargeFor(service, text, alice)))
      assertRefused(answer, /declares more than one/)
      const empty = await dischargeFor(service, text, alice, () => [])
      assertRefused(await exchangeWith(presenting(empty)), /declares more than one/)
    })

    test('answers 401 to an identity declared outside the discharge of our caveat', async () => {
      const root = decodeJson(JSON.parse(await getRoot(service)))
      const forged = addFirstPartyCaveat(root, `declared userid ${bob.id}`)
      const caveatId = root.caveats[3]?.id ?? assert.fail('no caveat')
      const { rootKey } = decodeCaveatId(caveatId, await service.installation.keyring.dischargerKeyPairs())
      // An identity service that does not know need-declared would return this.
      const silent = bindDischarge(forged, mint({ rootKey, id: caveatId, location: '' }))
      assertRefused(await exchangeWith(presenting([forged, silent])), /does not know who you are/)
    })

    test('answers 401 to two identities, none, or an empty one in the discharge', async () => {
      assertRefused(
        await loginWith(() => [`declared userid ${alice.id}`, `declared userid ${bob.id}`]),
        /more than one/,
      )
      assertRefused(await loginWith(() => []), /does not know who you are/)
      assertRefused(await loginWith(() => ['declared userid ']), /does not know who you are/)
      assertRefused(await loginWith(() => ['declared username alice']), /does not know who you are/)
    })

    test('answers 401 to a person without an account', async () => {
      assertRefused(await loginWith(() => [`declared userid ${'x'.repeat(32)}`]), /no longer exists/)
    })

    test('answers 401 to logins and tokens of a disabled account, whose tokens work again once it is enabled', async () => {
      const person = await addPerson(service)
      const token = await logIn(service, person)
      await disableAccount(person.username, service.installation)
      assertRefused(await whoamiWith(bearing(token)), /disabled/)
      const slice = await dischargeFor(service, await getRoot(service), person)
      assertRefused(await exchangeWith(presenting(slice)), /disabled/)
      await enableAccount(person.username, service.installation)
      assert.equal((await whoamiWith(bearing(token))).status, 200)
    })
  })

  describe('whoami', () => {
    test('returns the account, and null where there is no limit', async () => {
      const { status, headers, body } = await whoamiWith(bearing(await logIn(service, alice)))
      assert.equal(status, 200)
      assert.equal(headers.get('content-type'), 'application/json')
      assert.ok(Check(WhoamiResponseSchema, body), JSON.stringify(body))
      assert.deepEqual(body.account, {
        email: 'alice@example.org',
        id: alice.id,
        name: 'Name of alice',
        username: 'alice',
      })
      const { channels, packages, permissions, store_ids } = body
      assert.deepEqual(
        { channels, packages, permissions, store_ids },
        { channels: null, packages: null, permissions: null, store_ids: null },
      )
    })

    test('returns every limit as requested, and the expiry without a zone', async () => {
      const token = await logIn(service, alice, {
        channels: ['edge', '2.*'],
        packages: [{ snap_id: 'abc' }],
        permissions: ['package_access'],
        store_ids: ['acme'],
        expires: '2099-01-01T00:00:00Z',
      })
      const { body } = await whoamiWith(bearing(token))
      assert.ok(Check(WhoamiResponseSchema, body), JSON.stringify(body))
      const { account: _account, ...limits } = body
      assert.deepEqual(limits, {
        channels: ['edge', '2.*'],
        packages: ['abc'],
        permissions: ['package_access'],
        store_ids: ['acme'],
        expires: '2099-01-01T00:00:00.000',
      })
    })

    test('errors lists packages that are not, or no longer, in the package directory', async () => {
      const { installation } = service
      const directory = (csv: string) =>
        importPackages(`name,snap_id\n${csv}`, { format: 'csv', replaceAll: true }, installation)
      const packages = [{ snap_id: 'FooId' }, { snap_id: 'BarId' }, { snap_id: 'NeverId' }]
      const token = await logIn(service, alice, { packages })
      const errors = async (of: string) => {
        const { status, body } = await whoamiWith(bearing(of))
        assert.equal(status, 200)
        assert.ok(Check(WhoamiResponseSchema, body), JSON.stringify(body))
        return body.errors
      }
      const missing = (id: string) => ({
        code: 'package-not-found',
        message: `The token is limited to the package "${id}", which is not in the package directory.`,
        extra: { snap_id: id },
      })
      assert.equal(await errors(token), undefined, 'without a directory nothing is unknown')
      await directory('foo,FooId\nbar,BarId\n')
      assert.deepEqual(await errors(token), [missing('NeverId')])
      await directory('bar,BarId\n')
      assert.deepEqual(await errors(token), [missing('FooId'), missing('NeverId')])
      assert.deepEqual((await whoamiWith(bearing(token))).body.packages, ['FooId', 'BarId', 'NeverId'])
      assert.equal(await errors(await logIn(service, alice)), undefined, 'a token for all packages')
      await importPackages('[]', { format: 'json', replaceAll: true }, installation)
    })

    test('accepts a GET with a JSON content type and no body', async () => {
      const { status } = await whoamiWith({
        ...bearing(await logIn(service, alice)),
        'content-type': 'application/json',
      })
      assert.equal(status, 200)
    })
  })

  // Guarantee: a remembered token is accepted only if the token itself would be.
  describe('after a token was accepted', () => {
    test('answers 401 once it has expired', async () => {
      const soon = new Date(service.now().getTime() + DAY).toISOString()
      const token = await logIn(service, alice, { expires: soon })
      for (let i = 0; i < 3; i++) assert.equal((await whoamiWith(bearing(token))).status, 200)
      service.advance(2 * DAY)
      for (let i = 0; i < 2; i++) {
        assertRefused(await whoamiWith(bearing(token)), /expired at \d{4}-/)
      }
      service.advance(-2 * DAY)
    })

    test('answers 401 to another copy whose expiry has passed', async () => {
      const token = await logIn(service, alice)
      assert.equal((await whoamiWith(bearing(token))).status, 200)
      const ended = addFirstPartyCaveat(macaroonOf(token), 'time-before 2020-01-01T00:00:00Z')
      assertRefused(await whoamiWith(presenting([ended])), /expired at 2020/)
    })

    test('the first valid one of two tokens counts, even if that changes', async () => {
      const [first, second] = [await addPerson(service), await addPerson(service)]
      const tokens = [await logIn(service, first), await logIn(service, second)].map(
        (token) => presenting([macaroonOf(token)])['macaroons'],
      )
      const both = { macaroons: tokens.join(', ') }
      const whose = async () => (await whoamiWith(both)).body.account.id
      const { installation } = service
      await disableAccount(first.username, installation)
      for (let i = 0; i < 3; i++) assert.equal(await whose(), second.id)
      await enableAccount(first.username, installation)
      assert.equal(await whose(), first.id)
    })
  })

  describe('list', () => {
    test('lists the account’s own sessions, and only active ones by default', async () => {
      const person = await addPerson(service)
      const laptop = await logIn(service, person, { description: 'laptop', expires: '2099-01-01T00:00:00Z' })
      const ci = await logIn(service, person, { description: 'CI' })
      await logIn(service, alice, { description: 'not shown to others' })
      const all = await list(laptop)
      assert.equal(all.status, 200)
      assert.ok(Check(TokenListResponseSchema, all.body), JSON.stringify(all.body))
      const descriptions = (answer: Answer) =>
        answer.body.macaroons.map(({ description }: { description: string | null }) => description).sort()
      assert.deepEqual(descriptions(all), ['CI', 'laptop'])
      const record: TokenRecord | undefined = all.body.macaroons.find(
        ({ description }: { description: string | null }) => description === 'laptop',
      )
      assert.equal(record?.['valid-until'], '2099-01-01T00:00:00.000Z')
      assert.equal(record?.['revoked-at'], null)
      assert.equal(record?.['revoked-by'], null)
      assert.equal(record?.['session-id'], sessionIdOf(macaroonOf(laptop)))

      await revoke(laptop, sessionIdOf(macaroonOf(ci)))
      assert.deepEqual(descriptions(await list(laptop)), ['laptop'])
      for (const no of ['false', 'False', '0', 'no', 'off', 'OFF']) {
        assert.deepEqual(descriptions(await list(laptop, `?include-inactive=${no}`)), ['laptop'], no)
      }
      for (const yes of ['true', 'True', '1', 'yes', 'YES', 'on']) {
        assert.deepEqual(descriptions(await list(laptop, `?include-inactive=${yes}`)), ['CI', 'laptop'], yes)
      }
    })

    test('answers 400 to include-inactive that is neither yes nor no, or is given twice', async () => {
      const token = await logIn(service, alice)
      const refused = async (query: string) => {
        const answer = await list(token, query)
        assert.deepEqual(answer.body.error_list?.[0]?.extra, { field: 'query/include-inactive' }, query)
        const { status, code, message } = refusalOf(answer)
        assert.deepEqual([status, code], [400, 'invalid-field'], query)
        return message
      }
      for (const neither of ['', '=', '=2', '=tru', '=true%20', '=null', '=\u{ff54}rue', '=__proto__']) {
        const message = await refused(`?include-inactive${neither}`)
        assert.equal(message, 'The parameter "include-inactive" is neither yes nor no. Write true or false.')
      }
      const message = await refused('?include-inactive=true&include-inactive=true')
      assert.equal(message, 'The parameter "include-inactive" is given more than once.')
    })

    test('lists a description unchanged, whether empty, on several lines, or of 512 characters', async () => {
      const person = await addPerson(service)
      const given = ['', 'two\r\nlines\n\tand a tab', '😀'.repeat(512), ' ']
      const tokens: string[] = []
      for (const description of given) tokens.push(await logIn(service, person, { description }))
      const { body } = await list(tokens[0] ?? '')
      const listed = body.macaroons.map((record: TokenRecord) => record.description)
      assert.deepEqual(listed.sort(), given.sort())
    })

    test('an expired session is inactive', async () => {
      const person = await addPerson(service)
      const soon = new Date(service.now().getTime() + DAY).toISOString()
      await logIn(service, person, { description: 'short', expires: soon })
      const token = await logIn(service, person)
      assert.equal((await list(token)).body.macaroons.length, 2)
      service.advance(2 * DAY)
      assert.equal((await list(token)).body.macaroons.length, 1)
      assert.equal((await list(token, '?include-inactive=true')).body.macaroons.length, 2)
      service.advance(-2 * DAY)
    })

    test('lists a session once its root was used with a discharge, exchanged or not', async () => {
      const person = await addPerson(service)
      const slice = await dischargeFor(service, await getRoot(service, { description: 'web' }), person)
      const { status, body } = await call(service, 'GET', '/api/v2/tokens', { headers: presenting(slice) })
      assert.equal(status, 200)
      assert.deepEqual(
        body.macaroons.map(({ description }: { description: string | null }) => description),
        ['web'],
      )
    })
  })

  describe('checks the credential before everything else', () => {
    const NONE = {}
    const dead = async (): Promise<Record<string, string>> => {
      const token = await logIn(service, alice)
      await revoke(token, sessionIdOf(macaroonOf(token)))
      return bearing(token)
    }
    for (const [method, path, body] of [
      ['POST', '/api/v2/tokens/revoke', undefined],
      ['POST', '/api/v2/tokens/revoke', '{'],
      ['POST', '/api/v2/tokens/revoke', { colour: 'blue' }],
      ['POST', '/api/v2/tokens/exchange', '{'],
      ['POST', '/api/v2/tokens/exchange', { colour: 'blue' }],
      ['GET', '/api/v2/tokens?include-inactive=perhaps', undefined],
    ] as const) {
      test(`answers 401 to ${method} ${path} ${JSON.stringify(body) ?? 'without a body'}`, async () => {
        for (const headers of [NONE, await dead()]) {
          const refusal = refusalOf(await call(service, method, path, { headers, body }))
          assert.deepEqual([refusal.status, refusal.code], [401, UNAUTHORIZED])
        }
      })
    }
  })

  describe('revoke', () => {
    test('returns the record with time and username, and later requests get a 401 with both', async () => {
      const token = await logIn(service, alice, { description: 'to go' })
      const sessionId = sessionIdOf(macaroonOf(token))
      const other = await logIn(service, alice)
      const { status, body } = await revoke(other, sessionId)
      assert.equal(status, 200)
      assert.ok(Check(TokenListResponseSchema, body), JSON.stringify(body))
      const record: TokenRecord = body.macaroons[0] ?? assert.fail('no record')
      assert.deepEqual(
        [record['session-id'], record['revoked-by'], record.description],
        [sessionId, 'alice', 'to go'],
      )
      const when = new RegExp(`revoked at ${record['revoked-at']} by alice`)
      assertRefused(await whoamiWith(bearing(token)), when)
      assertRefused(await list(token), when)
      assertRefused(await revoke(token, sessionId), when)

      const again = await revoke(other, sessionId)
      assert.deepEqual([again.status, again.body.macaroons], [200, [record]], 'the first revocation stays')
    })

    test('revokes the caller’s own session with all its tokens', async () => {
      const slice = await dischargeFor(service, await getRoot(service), alice)
      const [one, two] = [await exchangeSlice(service, slice), await exchangeSlice(service, slice)]
      assert.equal((await revoke(one, sessionIdOf(macaroonOf(one)))).status, 200)
      for (const token of [one, two]) assert.equal((await whoamiWith(bearing(token))).status, 401)
      assert.equal((await whoamiWith(presenting(slice))).status, 401)
    })

    test('answers 400 with the same text for a missing session and another user’s', async () => {
      const token = await logIn(service, alice)
      const tokenOfBob = await logIn(service, bob)
      const foreign = sessionIdOf(macaroonOf(tokenOfBob))
      const answers = [
        await revoke(token, foreign),
        await revoke(token, '00000000-0000-4000-8000-000000000000'),
        await revoke(token, 'no uuid at all'),
      ]
      for (const answer of answers) {
        assert.deepEqual(answer.body, answers[0]?.body)
        assert.deepEqual([refusalOf(answer).status, refusalOf(answer).code], [400, 'resource-not-found'])
      }
      assert.equal((await whoamiWith(bearing(tokenOfBob))).status, 200, 'nothing was revoked')
    })

    for (const [name, body] of [
      ['no session-id', {}],
      ['an empty session-id', { 'session-id': '' }],
      ['a number', { 'session-id': 1 }],
      ['a further field', { 'session-id': 'x', all: true }],
      ['a list', []],
    ] as const) {
      test(`answers 400 to ${name}`, async () => {
        const token = await logIn(service, alice)
        const answer = await call(service, 'POST', '/api/v2/tokens/revoke', { headers: bearing(token), body })
        assert.equal(refusalOf(answer).status, 400)
      })
    }

    test('the refusal of a token names the operator who revoked it', async () => {
      const token = await logIn(service, alice)
      await revokeToken(
        { sessionId: sessionIdOf(macaroonOf(token)), by: 'operator' },
        { ...service.installation, change: byOperator(service.installation) },
      )
      assertRefused(await whoamiWith(bearing(token)), /revoked at .* by operator/)
    })

    test('refuses every request after the answer to a revocation', async () => {
      for (let round = 0; round < 5; round++) {
        const token = await logIn(service, alice)
        let acknowledged = false
        const revocation = revoke(token, sessionIdOf(macaroonOf(token))).then(({ status }) => {
          assert.equal(status, 200)
          acknowledged = true
        })
        const uses = Array.from({ length: 20 }, async () => {
          const late = acknowledged
          const { status } = await whoamiWith(bearing(token))
          assert.ok(
            status === 401 || (status === 200 && !late),
            `status ${status}, asked after the answer: ${late}`,
          )
        })
        await Promise.all([revocation, ...uses])
        assert.equal((await whoamiWith(bearing(token))).status, 401)
      }
    })
  })

  test('every endpoint answers 401 without a macaroon, with a foreign one and with a forged one', async () => {
    const token = macaroonOf(await logIn(service, alice))
    const foreign = mint({ rootKey: Buffer.alloc(32), id: Buffer.from('foreign'), location: 'elsewhere' })
    const forged = { ...token, caveats: token.caveats.slice(0, 4) }
    for (const [method, path] of [
      ['POST', '/api/v2/tokens/exchange'],
      ['GET', '/api/v2/tokens'],
      ['POST', '/api/v2/tokens/revoke'],
      ['GET', '/api/v2/tokens/whoami'],
    ] as const) {
      const body = method === 'GET' ? undefined : path.endsWith('revoke') ? { 'session-id': 'x' } : {}
      const ask = (headers: Record<string, string>) => call(service, method, path, { headers, body })
      for (const headers of [{}, { authorization: '' }, { macaroons: '' }, { authorization: 'Macaroon' }]) {
        assertRefused(await ask(headers), /carries no macaroon/)
      }
      assertRefused(await ask({ authorization: 'Basic abc' }), /different scheme/)
      assertRefused(await ask(bearing('!!!')), /malformed/)
      assertRefused(await ask(bearing('AgEC')), /malformed/)
      assertRefused(await ask(presenting([foreign])), /not issued by this service/)
      if (!path.endsWith('exchange')) assertRefused(await ask(presenting([forged])), /does not verify/)
    }
  })
})
