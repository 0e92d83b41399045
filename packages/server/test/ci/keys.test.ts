/** Tests the vectors' cases about an issuer's keys through the endpoint: replaced, withdrawn, and unreachable. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRule } from '../../src/ci/rules/making/add-rule.ts'
import { deciding } from '../support/authorities.ts'
import { oneDatabase } from '../support/databases.ts'
import {
  exchange,
  fieldsOf,
  oauthRefusalOf,
  vectorIssuers,
  withIssuer,
  withRule,
} from '../support/exchanges.ts'
import { caseNamed, rulesOf, signCase } from '../support/id-tokens.ts'
import { addPerson, testService } from '../support/service.ts'
import { testIssuer } from '../support/test-issuer.ts'

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const issuers = vectorIssuers()
  const issuer = testIssuer()

  /** Presents the token of a case now. With `kid`, it names a different key. */
  const present = async (id: string, header: Readonly<Record<string, string>> = {}) => {
    const one = caseNamed(id)
    const issuerUrl = (url: string) => issuers.at(url, one.rule)
    const at = { at: service.now(), audience: service.baseUrl, unique: crypto.randomUUID() }
    return exchange(service, fieldsOf(signCase({ ...one, header }, { ...at, issuerUrl }).text))
  }
  const withRules = async (name: string) => {
    for (const rule of rulesOf(name)) await withRule(service, rule, { issuers })
  }

  test('keys-away-known-kid is granted', async () => {
    await withRules('github-workflow')
    issuers.answer(false)
    service.advance(3_600_000)
    assert.equal((await present('keys-away-known-kid')).status, 200)
  })

  test('keys-away-unknown gets 503 temporarily_unavailable, with nothing about the token', async () => {
    service.advance(61_000)
    const answer = await present('keys-away-unknown', { kid: 'unknown' })
    const { status, error, code } = oauthRefusalOf(answer)
    assert.deepEqual([status, error, code], [503, 'temporarily_unavailable', 'service-unavailable'])
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
    issuers.answer(true)
  })

  test('jenkins-rekeyed is granted after one fetch of the keys', async () => {
    await withRules('jenkins')
    issuers.replaceKey()
    service.advance(61_000)
    issuers.requests()
    assert.equal((await present('jenkins-rekeyed')).status, 200)
    assert.deepEqual(
      issuers.requests().map((path) => path.replace(/^\/[^/]+/, '')),
      ['/.well-known/openid-configuration', '/keys'],
    )
  })

  test('key-withdrawn is refused once the keys were fetched again', async () => {
    await withIssuer(service, { url: issuer.url, kind: 'generic' })
    const { username } = await addPerson(service)
    await addRule(
      {
        ...{ maker: { authority: deciding() }, name: 'withdrawn', issuer: issuer.url, account: username },
        ...{
          match: { sub: 'job' },
          grants: { permissions: ['package_upload'] },
          packages: [{ name: 'hello' }],
        },
      },
      { ...service.installation, jobMaxLifetime: service.installation.config.jobMaxLifetime },
    )
    const withdrawn = issuer.key
    const send = (key = issuer.key) =>
      exchange(
        service,
        fieldsOf(issuer.sign({ aud: service.baseUrl, sub: 'job' }, { now: service.now(), key })),
      )
    assert.equal((await send()).status, 200)
    await issuer.rotate()
    // There is no reason to fetch the keys yet.
    assert.equal((await send(withdrawn)).status, 200)
    service.advance(61_000)
    assert.equal((await send()).status, 200)
    const { status, error, message } = oauthRefusalOf(await send(withdrawn))
    assert.deepEqual([status, error], [400, 'invalid_grant'])
    assert.match(message, /its issuer has no such key/)
  })
})
