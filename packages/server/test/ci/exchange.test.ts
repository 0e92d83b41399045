/** Tests the exchange of ID tokens: a job's request, its credential, and the refusal if nothing is granted. */
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { TOKEN_TYPES } from '@ratafia/api'
import { bindDischarge, decodeBase64, decodeBinary } from '@ratafia/macaroon'
import type { Account } from '../../src/accounts/account.ts'
import { disableRule } from '../../src/ci/rules/managing/disable-rule.ts'
import { sessionRecord } from '../../src/tokens/session.ts'
import { disableAccount, enableAccount } from '../support/accounts.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase, onOne } from '../support/databases.ts'
import {
  exchange,
  type Fields,
  fieldsOf,
  idTokenOf,
  oauthRefusalOf,
  vectorIssuers,
  withIssuer,
  withRule,
} from '../support/exchanges.ts'
import { ruleNamed, type SignOptions, signCase } from '../support/id-tokens.ts'
import { decoded, encoded } from '../support/publishers.ts'
import { addPerson, bearing, call, revokeSession, sessionIdOf, testService } from '../support/service.ts'

const GITHUB = 'github-environment'
const WHOAMI = '/api/v2/tokens/whoami'

const RULE = ruleNamed(GITHUB)
const OTHER = ruleNamed('github-reusable')

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh)
  const issuers = vectorIssuers()
  const { testOnce } = onOne(kind)
  let person: Account
  before(async () => {
    person = await addPerson(service, 'releaser')
    await withRule(service, RULE, { issuers, account: person.username, name: 'hello-release' })
  })
  const idToken = (options: SignOptions = {}, claims = GITHUB) =>
    idTokenOf(claims, { service, issuers, rule: GITHUB }, options)
  const send = (more: Fields = {}, options: Parameters<typeof exchange>[2] = {}) =>
    exchange(service, fieldsOf(idToken(), more), options)
  const granted = async (more: Fields = {}, options: Parameters<typeof exchange>[2] = {}) => {
    const answer = await send(more, options)
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
  const whoami = (authorization: string) => call(service, 'GET', WHOAMI, { headers: { authorization } })
  const newestEntry = async (action: string) => {
    const [entry] = await service.installation.audit.list({ action }, { limit: 1 })
    return entry ?? assert.fail(`no entry ${action}`)
  }

  test('a job gets a token for 15 minutes, with the account and the limits of its rule', async () => {
    service.hold(service.now())
    const { body } = await granted().finally(() => service.hold(undefined))
    assert.deepEqual(Object.keys(body).sort(), [
      ...['access_token', 'credentials', 'expires_in', 'issued_token_type', 'rule', 'scope', 'session_id'],
      'token_type',
    ])
    assert.equal(body.issued_token_type, TOKEN_TYPES.accessToken)
    assert.deepEqual([body.token_type, body.rule], ['Bearer', 'hello-release'])
    assert.equal(body.scope, 'package_upload package_release')
    assert.equal(body.expires_in, 900)
    const { status, body: who } = await whoami(`${body.token_type} ${body.access_token}`)
    assert.equal(status, 200)
    assert.equal(who.account.id, person.id)
    assert.deepEqual(
      [who.permissions, who.packages, who.channels, who.store_ids],
      [['package_upload', 'package_release'], ['hello'], ['edge'], null],
    )
    const [token] = decodeBinary(decodeBase64(body.access_token))
    assert.equal(token && sessionIdOf(token), body.session_id)
    assert.deepEqual(conditionsOf(body.access_token), [
      'time-before',
      'time-since',
      'session-id',
      'declared',
      'extra',
    ])
  })

  testOnce('trims white space around the ID token, in a form and in JSON', async () => {
    for (const around of [
      ['', '\n'],
      ['', '\r\n'],
      [' ', ' '],
      ['\n', '\t'],
    ]) {
      for (const json of [false, true]) {
        const fields = fieldsOf(around.join(idToken()))
        const options = json
          ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) }
          : {}
        const { status } = await exchange(service, fields, options)
        assert.equal(status, 200, JSON.stringify([around, json]))
      }
    }
  })

  test('the session is listed with rule, kind and run, and the job can revoke it', async () => {
    const { body } = await granted({ description: 'upload of the nightly' })
    const headers = bearing(body.access_token)
    const { body: list } = await call(service, 'GET', '/api/v2/tokens', { headers })
    const [listed] = list.macaroons.filter(
      (one: { 'session-id': string }) => one['session-id'] === body.session_id,
    )
    assert.equal(listed.description, 'hello-release: github run 1959414638: upload of the nightly')
    const life = Date.parse(listed['valid-until']) - Date.parse(listed['valid-since'])
    assert.equal(life, 900_000)
    const session = await service.installation.tokenSessions.find(body.session_id)
    assert.deepEqual(session && sessionRecord(session).limits, {
      ...{ permissions: ['package_upload', 'package_release'], packages: ['hello'] },
      ...{ channels: ['edge'], store_ids: null },
    })
    const revoked = await revokeSession(service, body.access_token, body.session_id)
    assert.equal(revoked.body.macaroons[0]['revoked-by'], 'releaser')
    assert.equal((await whoami(`Macaroon ${body.access_token}`)).status, 401)
  })

  test('the token expires with its session', async () => {
    const { body } = await granted({ lifetime: '60' })
    assert.equal(body.expires_in, 60)
    service.advance(59_000)
    assert.equal((await whoami(`Macaroon ${body.access_token}`)).status, 200)
    service.advance(2_000)
    assert.equal((await whoami(`Macaroon ${body.access_token}`)).status, 401)
  })

  test('the audit log records rule, version, issuer, claims and address, but no ID token', async () => {
    const text = idToken()
    const { body } = await exchange(service, fieldsOf(text))
    const entry = await newestEntry('publisher.minted')
    const { rule, version, account, issuer, claims, until } = JSON.parse(entry.details)
    const { rule: known } = (await service.installation.rules.find('hello-release')) ?? assert.fail()
    assert.deepEqual(
      [entry.subject, entry.actor, entry.source],
      [body.session_id, `issuer:${issuer}`, '127.0.0.1'],
    )
    assert.deepEqual([rule, version, account], ['hello-release', known.version, 'releaser'])
    assert.equal(issuer, issuers.at('https://token.actions.githubusercontent.com', GITHUB))
    assert.ok(
      claims.includes('repository_id: "74"') && claims.includes('environment: "prod"'),
      String(claims),
    )
    assert.equal(new Date(until).toISOString(), until)
  })

  suite('the value for SNAPCRAFT_STORE_CREDENTIALS', () => {
    const stored = (credentials: string) => JSON.parse(Buffer.from(credentials, 'base64').toString())

    test('contains the token', async () => {
      const { body } = await granted()
      assert.deepEqual(stored(body.credentials), { t: 'macaroon', v: body.access_token })
    })

    test('is the whole answer for a client that asks for text', async () => {
      const { text, headers } = await granted({}, { headers: { accept: 'text/plain' } })
      assert.equal(headers.get('content-type'), 'text/plain')
      assert.equal((await whoami(`Macaroon ${stored(text).v}`)).status, 200)
    })

    testOnce('is part of a JSON answer for a client that accepts either', async () => {
      for (const accept of ['*/*', 'application/json, text/plain', 'text/html']) {
        const { headers } = await granted({}, { headers: { accept } })
        assert.equal(headers.get('content-type'), 'application/json', accept)
      }
    })

    test('contains root and discharge for unmodified snapcraft, which both expire with the session', async () => {
      const { body } = await granted({ requested_token_type: TOKEN_TYPES.pair })
      assert.equal(body.issued_token_type, TOKEN_TYPES.pair)
      const { t, v } = stored(body.credentials)
      assert.equal(t, 'u1-macaroon')
      const pair = encoded(bindDischarge(decoded(v.r), decoded(v.d)))
      // Bound by the client, and as returned in the answer.
      for (const authorization of [
        `Macaroon root=${v.r}, discharge=${pair}`,
        `${body.token_type} ${body.access_token}`,
      ]) {
        const { status, body: who } = await whoami(authorization)
        assert.equal(status, 200)
        assert.deepEqual([who.account.id, who.packages], [person.id, ['hello']])
      }
      assert.deepEqual(conditionsOf(v.r), ['time-before', 'time-since', 'session-id', 'third party', 'extra'])
      // Neither works unbound or alone.
      for (const authorization of [`Macaroon root=${v.r}, discharge=${v.d}`, `Macaroon root=${v.r}`]) {
        assert.equal((await whoami(authorization)).status, 401)
      }
      const ends = [v.r, v.d].map((text) => textsOf(text).find((one) => one.startsWith('time-before ')))
      assert.equal(ends[0], ends[1])
      service.advance(901_000)
      assert.equal((await whoami(`${body.token_type} ${body.access_token}`)).status, 401)
    })

    test('stops working when the session of a pair is revoked', async () => {
      const { body } = await granted({ requested_token_type: TOKEN_TYPES.pair })
      const headers = { authorization: `Macaroon ${body.access_token}` }
      const revocation = { headers, body: { 'session-id': body.session_id } }
      assert.equal((await call(service, 'POST', '/api/v2/tokens/revoke', revocation)).status, 200)
      assert.equal((await whoami(headers.authorization)).status, 401)
    })
  })

  suite('a request for less', () => {
    test('narrows the token', async () => {
      const { body } = await granted({
        ...{ scope: 'package_release', packages: ['hello'], channels: 'edge', lifetime: '120' },
        rule: 'hello-release',
      })
      const { body: who } = await whoami(`Macaroon ${body.access_token}`)
      assert.deepEqual([body.scope, body.expires_in], ['package_release', 120])
      assert.deepEqual(
        [who.permissions, who.packages, who.channels],
        [['package_release'], ['hello'], ['edge']],
      )
    })

    for (const [name, more] of [
      ['scope', { scope: 'package_upload package_access' }],
      ['packages', { packages: ['hello', 'goodbye'] }],
      ['channels', { channels: ['edge', 'stable'] }],
      ['channels', { channels: '*' }],
    ] as const) {
      test(`is refused if it asks for more: ${JSON.stringify(more)}`, async () => {
        const { status, error, message } = oauthRefusalOf(await send(more))
        assert.deepEqual([status, error], [400, 'invalid_scope'])
        assert.match(message, new RegExp(`^"${name}" requests more than this job is granted\\.`))
        assert.equal(JSON.parse((await newestEntry('publisher.refused')).details).reason, 'wider-than-rule')
      })
    }
  })

  suite('several rules', () => {
    test('grant by the first name if they grant the same; otherwise the request must name one', async () => {
      const claims = 'github-reusable-workflow'
      const other = 'github-reusable'
      const [at, account] = [{ issuers, issuerOf: other }, person.username]
      await withRule(service, OTHER, { ...at, account, name: 'b-rule' })
      await withRule(service, OTHER, { ...at, account, name: 'a-rule' })
      const text = () => idTokenOf(claims, { service, issuers, rule: other })
      const first = await exchange(service, fieldsOf(text()))
      assert.deepEqual([first.status, first.body?.rule], [200, 'a-rule'], first.text)
      await withRule(service, OTHER, { ...at, name: 'c-rule' })
      const { status, error, code, message } = oauthRefusalOf(await exchange(service, fieldsOf(text())))
      assert.deepEqual([status, error, code], [400, 'invalid_request', 'invalid-request'])
      assert.match(message, /rule/)
      const named = await exchange(service, fieldsOf(text(), { rule: 'c-rule' }))
      assert.deepEqual([named.status, named.body?.rule], [200, 'c-rule'], named.text)
      const wrong = oauthRefusalOf(await exchange(service, fieldsOf(text(), { rule: 'hello-release' })))
      assert.equal(wrong.error, 'invalid_grant')
    })
  })

  suite('a job that gets nothing', () => {
    test('guarantee: the refusal reveals neither the reason nor whether there is a rule', async () => {
      const issuerOf = 'github-workflow'
      await withIssuer(service, { url: issuers.at(RULE.issuer, issuerOf), kind: 'github' })
      const seen = new Map<string, string>()
      /** Records the current answer to the same job. */
      const see = async () => {
        const answer = await refusalWith({ event_name: 'pull_request' }, issuerOf)
        const entry = await newestEntry('publisher.refused')
        assert.equal(entry.id, answer.extra['audit'])
        seen.set(JSON.parse(entry.details).reason, JSON.stringify(answer).replaceAll(entry.id, 'AUDIT'))
      }
      const add = (name: string, match: object, account = person.username) =>
        withRule(
          service,
          { ...RULE, match: { ...RULE.match, ...match } },
          { issuers, issuerOf, name, account },
        )
      await see()
      await add('of-another-environment', { environment: 'other' })
      await see()
      await add('of-usual-events', {})
      await see()
      const owner = await addPerson(service)
      await add('of-this-event', { event_name: 'pull_request' }, owner.username)
      await disableAccount(owner.username, service.installation)
      await see()
      await enableAccount(owner.username, service.installation)
      await disableRule({ name: 'of-this-event', authority: deciding() }, service.installation)
      await see()
      assert.deepEqual([...seen.keys()].sort(), ['account-disabled', 'event', 'no-rule', 'rule-disabled'])
      assert.equal(new Set(seen.values()).size, 1, [...seen].join('\n'))
    })

    test('the audit log records the comparison with the rules', async () => {
      await refusalWith({ environment: 'test' })
      const { details, subject } = await newestEntry('publisher.refused')
      const { reason, rules, claims, issuer } = JSON.parse(details)
      assert.deepEqual([reason, subject], ['no-rule', issuer])
      assert.deepEqual(rules, ['hello-release: environment is "test", not "prod"'])
      assert.ok(claims.includes('environment: "test"'))
    })

    /** Returns the refusal of a job with these claims. */
    async function refusalWith(set: Readonly<Record<string, unknown>>, rule = GITHUB) {
      const job = { id: '', base: GITHUB, rule, set, expect: '', reason: '', why: '' }
      const issuerUrl = (url: string) => issuers.at(url, rule)
      const unique = crypto.randomUUID()
      const at = { at: service.now(), audience: service.baseUrl }
      return oauthRefusalOf(
        await exchange(service, fieldsOf(signCase(job, { ...at, issuerUrl, unique }).text)),
      )
    }
  })
})

const textsOf = (text: string): readonly string[] =>
  decodeBinary(decodeBase64(text)).flatMap(({ caveats }) =>
    caveats.map(({ id, verificationId }) =>
      verificationId === undefined ? Buffer.from(id).toString() : 'third party',
    ),
  )

/** Returns the first word of each of its caveats. */
const conditionsOf = (text: string): readonly string[] =>
  textsOf(text).map((one) => (one === 'third party' ? one : (one.split(' ')[0] ?? '')))
