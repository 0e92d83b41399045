/** Tests the request of the exchange: the parameters of RFC 8693 and ours, as a form or as JSON. */
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { TOKEN_TYPES } from '@ratafia/api'
import { oneDatabase } from '../support/databases.ts'
import {
  EXCHANGE,
  exchange,
  type Fields,
  fieldsOf,
  idTokenOf,
  oauthRefusalOf,
  vectorIssuers,
  withRule,
} from '../support/exchanges.ts'
import { rulesOf, type SignOptions } from '../support/id-tokens.ts'
import { startNode } from '../support/nodes.ts'
import { call, testService } from '../support/service.ts'

const GITHUB = 'github-environment'

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const issuers = vectorIssuers()
  before(async () => {
    for (const rule of rulesOf(GITHUB)) await withRule(service, rule, { issuers })
  })
  const idToken = (options: SignOptions = {}) =>
    idTokenOf(GITHUB, { service, issuers, rule: GITHUB }, options)
  const send = (more: Fields = {}) => exchange(service, fieldsOf(idToken(), more))
  const granted = async (more: Fields = {}) => {
    const { status, text } = await send(more)
    assert.equal(status, 200, text)
  }

  suite('the request', () => {
    const refused = async (more: Fields, expected: readonly [error: string, message: RegExp]) => {
      const { status, error, message } = oauthRefusalOf(await send(more))
      assert.deepEqual([status, error], [400, expected[0]])
      assert.match(message, expected[1])
    }
    const json = (body: unknown) => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

    test('can be JSON with the same names', async () => {
      const body = { ...fieldsOf(idToken()), packages: ['hello'], lifetime: 60, unknown: { deep: [1] } }
      const answer = await exchange(service, {}, json(body))
      assert.deepEqual([answer.status, answer.body?.expires_in], [200, 60], answer.text)
    })

    for (const [what, body] of [
      ['a list', []],
      ['a string', 'text'],
      ['an object instead of a string', { grant_type: {} }],
    ] as const) {
      test(`is refused as ${what}`, async () => {
        const { status, error } = oauthRefusalOf(await exchange(service, {}, json(body)))
        assert.deepEqual([status, error], [400, 'invalid_request'])
      })
    }

    test('is refused with an empty list', async () => {
      const answer = await exchange(service, {}, json({ ...fieldsOf(idToken()), packages: [] }))
      const { status, error, message } = oauthRefusalOf(answer)
      assert.deepEqual([status, error], [400, 'invalid_request'])
      assert.match(message, /^The parameter "packages" is an empty list\. Leave it out\./)
    })

    test('is refused as malformed JSON', async () => {
      const headers = { 'content-type': 'application/json; charset=utf-8' }
      const broken = await exchange(service, {}, { headers, body: '{' })
      assert.equal(oauthRefusalOf(broken).error, 'invalid_request')
    })

    test('can have unknown parameters, and an empty parameter counts as absent', async () => {
      await granted({
        client_id: 'x',
        client_secret: 'y',
        scope: '',
        rule: '',
        audience: '',
        actor_token: '',
      })
    })

    test('has no effect through the query', async () => {
      const response = await fetch(`${service.baseUrl}${EXCHANGE}?${new URLSearchParams({ scope: 'x' })}`, {
        method: 'POST',
        body: new URLSearchParams(fieldsOf(idToken()) as Record<string, string>),
      })
      assert.equal(response.status, 200, await response.text())
    })

    for (const name of ['grant_type', 'subject_token', 'subject_token_type']) {
      test(`requires ${name} exactly once`, async () => {
        await refused({ [name]: undefined }, [
          'invalid_request',
          new RegExp(`^The parameter "${name}" is missing`),
        ])
        const value = [fieldsOf(idToken())[name] ?? ''].flat()
        await refused({ [name]: [...value, ...value] }, ['invalid_request', /occurs more than once/])
      })
    }

    for (const name of ['scope', 'rule', 'lifetime', 'description', 'requested_token_type']) {
      test(`can have ${name} once`, () =>
        refused({ [name]: ['60', '60'] }, ['invalid_request', /occurs more than once/]))
    }

    test('must be a token exchange', () =>
      refused({ grant_type: 'client_credentials' }, [
        'unsupported_grant_type',
        /accepts only the grant_type urn:ietf:params:oauth:grant-type:token-exchange\./,
      ]))

    test('must be for an ID token', async () => {
      await refused({ subject_token_type: TOKEN_TYPES.accessToken }, [
        'invalid_request',
        /^subject_token_type must be/,
      ])
      await granted({ subject_token_type: TOKEN_TYPES.idToken })
    })

    test('must be for a supported type of token', () =>
      refused({ requested_token_type: TOKEN_TYPES.jwt }, [
        'invalid_request',
        /^requested_token_type must be/,
      ]))

    for (const name of ['actor_token', 'actor_token_type']) {
      test(`is refused with ${name}`, () => refused({ [name]: 'x' }, ['invalid_request', /Leave it out/]))
    }

    for (const name of ['audience', 'resource']) {
      test(`is refused with another ${name} than this service`, async () => {
        await granted({ [name]: [service.baseUrl, service.baseUrl] })
        const other = [service.baseUrl, 'https://store.example.com']
        await refused({ [name]: other }, ['invalid_target', /is not this service/])
        await refused({ [name]: `${service.baseUrl}/` }, ['invalid_target', /is not this service/])
      })
    }

    for (const lifetime of ['0', '-1', '1.5', '1e3', 'long', '1234567890']) {
      test(`is refused with a lifetime of ${lifetime}`, () =>
        refused({ lifetime }, ['invalid_request', /^lifetime is not a whole number/]))
    }

    test('is refused with a description that has control characters or is too long', async () => {
      await refused({ description: 'a\u0007b' }, ['invalid_request', /control characters/])
      await refused({ description: 'x'.repeat(513) }, ['invalid_request', /longer than 512/])
    })

    test('is refused with list items that a token cannot have', async () => {
      await refused({ packages: 'a\nb' }, ['invalid_request', /printable ASCII/])
      await refused({ channels: 'x'.repeat(129) }, ['invalid_request', /printable ASCII/])
      const many = Array.from({ length: 257 }, (_, at) => `p${at}`)
      await refused({ packages: many }, ['invalid_request', /more than 256 times/])
    })

    test('is refused with an ID token over 16 KiB or a body over 64 KiB', async () => {
      for (const [length, status] of [
        [16 * 1024 + 1, 400],
        [64 * 1024, 413],
      ] as const) {
        const answer = oauthRefusalOf(await exchange(service, fieldsOf('x'.repeat(length))))
        assert.deepEqual([answer.status, answer.error], [status, 'invalid_request'], answer.message)
      }
      const { message } = oauthRefusalOf(await exchange(service, fieldsOf('x'.repeat(16 * 1024 + 1))))
      assert.match(message, /16 KiB|16384|larger|longer/)
    })

    test('guarantee: an unknown issuer does not cause a request or a look-up of its keys', async () => {
      issuers.requests()
      const text = idToken({ issuerUrl: () => `${new URL(service.baseUrl).origin}/elsewhere` })
      assert.equal(oauthRefusalOf(await exchange(service, fieldsOf(text))).error, 'invalid_grant')
      assert.deepEqual(issuers.requests(), [])
    })
  })

  suite('the audience', () => {
    test('is the base URL, and OAuth clients find the endpoint', async () => {
      const { status, body, headers } = await call(service, 'GET', EXCHANGE)
      assert.deepEqual([status, body], [200, { audience: service.baseUrl }])
      assert.equal(headers.get('cache-control'), 'no-store')
      const { body: metadata } = await call(service, 'GET', '/.well-known/oauth-authorization-server')
      assert.equal(metadata.issuer, service.baseUrl)
      assert.equal(metadata.token_endpoint, `${service.baseUrl}${EXCHANGE}`)
      assert.deepEqual(metadata.grant_types_supported, ['urn:ietf:params:oauth:grant-type:token-exchange'])
    })
  })
})

oneDatabase((_kind, _open, fresh) => {
  const issuers = vectorIssuers()
  test('a base URL with a path is the whole audience, and OAuth clients find it', async () => {
    const base = 'https://store.example.com/auth'
    const node = await startNode(await fresh.target(), { RATAFIA_BASE_URL: `${base}/` })
    try {
      for (const path of [EXCHANGE, `/auth${EXCHANGE}`]) {
        assert.deepEqual((await call(node, 'GET', path)).body, { audience: base })
      }
      const metadata = '/.well-known/oauth-authorization-server'
      for (const path of [metadata, `/auth${metadata}`, `${metadata}/auth`]) {
        const { body } = await call(node, 'GET', path)
        assert.deepEqual([body.issuer, body.token_endpoint], [base, `${base}${EXCHANGE}`], path)
      }
    } finally {
      await node.close()
    }
  })

  test('the current RATAFIA_CI_MAX_LIFETIME limits a token, even if the rule allows more', async () => {
    const target = await fresh.target()
    const environment = { RATAFIA_BASE_URL: 'https://store.example.com' }
    const before = await startNode(target, environment)
    for (const rule of rulesOf(GITHUB)) await withRule(before, rule, { issuers, lifetime: 900_000 })
    await before.close()
    const node = await startNode(target, { ...environment, RATAFIA_CI_MAX_LIFETIME: '5m' })
    try {
      const audience = environment.RATAFIA_BASE_URL
      const fields = (more: Fields = {}) =>
        fieldsOf(idTokenOf(GITHUB, { service: node, issuers, rule: GITHUB }, { audience }), more)
      const { status, body, text } = await exchange(node, fields())
      assert.deepEqual([status, body?.expires_in], [200, 300], text)
      assert.equal(oauthRefusalOf(await exchange(node, fields({ lifetime: '301' }))).error, 'invalid_request')
    } finally {
      await node.close()
    }
  })
})
