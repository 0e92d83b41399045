/** Tests the limit of failed exchanges per address: successes don't count, and other clients are not affected. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { oneDatabase } from '../support/databases.ts'
import {
  exchange,
  fieldsOf,
  idTokenOf,
  oauthRefusalOf,
  vectorIssuers,
  withIssuer,
  withRule,
} from '../support/exchanges.ts'
import { ruleNamed } from '../support/id-tokens.ts'
import { addPerson, bearing, call, logIn, testService } from '../support/service.ts'
import { testIssuer } from '../support/test-issuer.ts'

const GITHUB = 'github-environment'

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh, {
    RATAFIA_RATE_LIMITS: 'oidc=3/1h',
    RATAFIA_TRUSTED_PROXIES: '127.0.0.1',
  })
  const issuers = vectorIssuers()
  const away = testIssuer()
  const rule = ruleNamed(GITHUB)
  before(async () => {
    await withRule(service, rule, { issuers })
  })

  const from = (address: string, text = idTokenOf(GITHUB, { service, issuers, rule: GITHUB })) =>
    exchange(service, fieldsOf(text), { headers: { 'x-forwarded-for': address } })
  const fail = async (address: string) => {
    assert.equal((await from(address, 'no token')).status, 400)
  }

  test('any number of exchanges succeeds, and after three failures each gets 429', async () => {
    const address = '198.18.0.1'
    for (let i = 0; i < 6; i++) assert.equal((await from(address)).status, 200)
    for (let i = 0; i < 4; i++) await fail(address)
    const answer = await from(address)
    const { status, error, code, message } = oauthRefusalOf(answer)
    assert.deepEqual([status, error, code], [429, 'slow_down', 'too-many-requests'])
    assert.match(message, /^Too many requests from your network failed\. Try again in \d+ seconds\.$/)
    const retryAfter = Number(answer.headers.get('retry-after'))
    assert.ok(retryAfter > 1000 && retryAfter <= 1200, String(retryAfter))
    service.advance(retryAfter * 1000)
    assert.equal((await from(address)).status, 200)
  })

  test('an IPv6 /64 counts as one address', async () => {
    for (let i = 0; i < 4; i++) await fail(`2001:db8:1:1::${i}`)
    assert.equal((await from('2001:db8:1:1:ffff::1')).status, 429)
    assert.equal((await from('2001:db8:1:2::1')).status, 200)
  })

  test('an ID token that could not be checked does not count as a failure', async () => {
    const address = '198.18.5.1'
    await withIssuer(service, { url: away.url, kind: 'generic' })
    away.behave('failing')
    // For a minute after a fetch, an unknown key is refused.
    service.advance(61_000)
    const claims = { sub: 'job', aud: service.baseUrl }
    const text = away.sign(claims, { now: service.now(), header: { kid: 'unknown' } })
    for (let i = 0; i < 5; i++) assert.equal((await from(address, text)).status, 503)
    assert.equal((await from(address)).status, 200)
  })

  test('guarantee: a flood of failures from one address does not delay other requests, even from this address', async () => {
    const address = '198.18.7.1'
    const person = await addPerson(service)
    const token = await logIn(service, person)
    for (let i = 0; i < 4; i++) await fail(address)
    const statuses = new Set<number>()
    for (let round = 0; round < 20; round++) {
      const flood = Array.from({ length: 50 }, () => from(address, 'no token'))
      const others = [
        call(service, 'GET', '/api/v2/tokens/whoami', {
          headers: { ...bearing(token), 'x-forwarded-for': address },
        }),
        call(service, 'POST', '/api/v2/tokens', { body: {}, headers: { 'x-forwarded-for': address } }),
        from(`203.0.113.${round}`),
      ]
      for (const { status } of await Promise.all(others)) assert.equal(status, 200)
      for (const { status } of await Promise.all(flood)) statuses.add(status)
    }
    assert.deepEqual(statuses, new Set([429]))
  })
})
