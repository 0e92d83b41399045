/**
 * Tests every token case of the vectors through the endpoint: the claims of real CI systems, signed by an issuer for
 * each on loopback, with the answer, the reason and the audit entry that the vectors expect.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, before, test } from 'node:test'
import { eachDatabase } from '../support/databases.ts'
import {
  exchange,
  type Fields,
  fieldsOf,
  oauthRefusalOf,
  vectorIssuers,
  withIssuer,
  withRule,
} from '../support/exchanges.ts'
import { oidcVectors, type SignedCase, signCase, type TokenCase } from '../support/id-tokens.ts'
import { addPerson, type TestService, testService } from '../support/service.ts'

/** Cases that require more than one request. Other tests cover them. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'raced',
  'replayed',
  'replayed-in-leeway',
  'replayed-without-jti',
  'replayed-resigned-text',
  'refused-then-fixed',
  'jenkins-rekeyed',
  'account-disabled',
  'rule-removed-after',
  'keys-away-known-kid',
  'keys-away-unknown',
  'key-withdrawn',
  'two-rules',
])

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const issuers = vectorIssuers()
  before(async () => {
    const { username: account } = await addPerson(service)
    for (const rule of oidcVectors().rules.values()) await withRule(service, rule, { issuers, account })
    const without = { url: issuers.at('https://gitlab.com', 'github-workflow'), kind: 'gitlab' }
    await withIssuer(service, without)
  })

  afterEach(() => service.hold(undefined))

  /**
   * Signs a token for the moment of the case. The service's clock is stopped at that moment, because a second matters.
   */
  const signed = (one: TokenCase, unique = randomUUID()): SignedCase => {
    const at = new Date(Math.floor(service.now().getTime() / 1000) * 1000)
    service.hold(at)
    const issuerUrl = (url: string) => issuers.at(url, one.rule)
    return signCase(one, {
      at,
      audience: service.baseUrl,
      issuerUrl,
      ...('jti' in (one.set ?? {}) ? {} : { unique }),
    })
  }

  for (const one of oidcVectors().token.filter(({ id }) => !ELSEWHERE.has(id))) {
    test(`answers ${one.id} with ${[one.expect, one.reason].join(' ').trim()}`, async () => {
      issuers.requests()
      const answer = await exchange(service, fieldsOf(signed(one).text, askedBy(one)))
      if (one.expect === 'granted') assertGranted(answer)
      else await assertRefused(answer, one, service)
      assert.deepEqual(issuers.requests(), [])
    })
  }
})

/** Returns the request of a case, with the names of the parameters. */
function askedBy({ request = {} }: TokenCase): Fields {
  const { permissions, lifetime } = request
  return {
    ...(Array.isArray(permissions) ? { scope: permissions.join(' ') } : {}),
    ...(lifetime === undefined ? {} : { lifetime: String(lifetime) }),
  }
}

function assertGranted({ status, body, text }: Awaited<ReturnType<typeof exchange>>): void {
  assert.equal(status, 200, text)
  assert.equal(body.scope, 'package_upload package_release')
}

/** Reasons without an audit entry. Only refusals of a token that its issuer signed have one. */
const UNPROVEN: ReadonlySet<string> = new Set([
  ...['malformed', 'too-large', 'issuer-unknown', 'algorithm', 'type', 'key-unknown', 'signature'],
])

async function assertRefused(
  answer: Awaited<ReturnType<typeof exchange>>,
  one: Pick<TokenCase, 'expect' | 'reason'>,
  { installation }: Pick<TestService, 'installation'>,
): Promise<void> {
  const { status, error, code, message, extra } = oauthRefusalOf(answer)
  assert.deepEqual([status, error, code], [400, one.expect, one.expect.replaceAll('_', '-')], message)
  if (UNPROVEN.has(one.reason)) return assert.equal(extra['audit'], undefined)
  const entries = await installation.audit.list({ action: 'publisher.refused' }, { limit: 1 })
  assert.deepEqual(
    entries.map(({ id, details }) => [id, JSON.parse(details).reason]),
    [[extra['audit'], one.reason]],
  )
  assert.ok(message.includes(String(extra['audit'])), message)
}
