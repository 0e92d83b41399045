/**
 * Tests that a service reports exchanges in metrics by issuer and reason, but never an ID token or an e-mail address.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase } from '../support/databases.ts'
import { exchange, fieldsOf, oauthRefusalOf, vectorIssuers, withRule } from '../support/exchanges.ts'
import { ruleNamed, signCase } from '../support/id-tokens.ts'
import { observedServices, scrape } from '../support/observed.ts'
import { find, secretsOf } from '../support/secret-search.ts'
import type { TestService } from '../support/service.ts'

const GITLAB = 'gitlab-tag'
const EMAIL = 'private.address@example.com'

eachDatabase((_kind, _open, fresh) => {
  const observed = observedServices(fresh)
  const issuers = vectorIssuers()
  const rule = ruleNamed(GITLAB)

  const tokenOf = (service: TestService, set: Readonly<Record<string, unknown>> = {}) =>
    signCase(
      {
        id: '',
        base: 'gitlab-protected-tag',
        rule: GITLAB,
        set: { user_email: EMAIL, ...set },
        expect: '',
        reason: '',
        why: '',
      },
      {
        ...{ at: service.now(), audience: service.baseUrl, unique: crypto.randomUUID() },
        issuerUrl: (url) => issuers.at(url, GITLAB),
      },
    ).text

  test('guarantee: no ID token, minted token or e-mail address is logged or stored', async () => {
    const service = await observed({
      RATAFIA_LOG_LEVEL: 'debug',
      RATAFIA_ACCESS_LOG: 'on',
      RATAFIA_METRICS_PORT: '0',
    })
    await withRule(service, rule, { issuers })
    const issuer = issuers.at(rule.issuer, GITLAB)
    const sent = [
      ['granted', tokenOf(service)],
      ['no-rule', tokenOf(service, { ref_protected: 'false' })],
      ['no-rule', tokenOf(service, { project_id: EMAIL })],
      ['audience', tokenOf(service, { aud: 'https://other.example' })],
      ['event', tokenOf(service, { pipeline_source: 'merge_request_event' })],
      ['issuer-unknown', tokenOf(service, { iss: 'https://unknown.example' })],
      ['signature', `${tokenOf(service).slice(0, -8)}AAAAAAAA`],
      ['malformed', `${tokenOf(service)}.`],
      ['too-large', `${tokenOf(service)}${'x'.repeat(16 * 1024)}`],
    ] as const
    const minted: string[] = []
    for (const [reason, text] of sent) {
      const answer = await exchange(service, fieldsOf(text))
      assert.equal(answer.status, reason === 'granted' ? 200 : 400, answer.text)
      if (answer.status === 200) minted.push(answer.body.access_token, answer.body.credentials)
      // The second exchange of a granted token is refused as used.
      if (reason === 'granted') oauthRefusalOf(await exchange(service, fieldsOf(text)))
    }

    const samples = await scrape(service.metricsUrl)
    const count = (name: string, reason: string) =>
      samples.get(`ratafia_oidc_exchanges_total{issuer="${name}",reason="${reason}"}`)
    for (const reason of ['granted', 'used', 'audience', 'event', 'signature']) {
      assert.equal(count(issuer, reason), 1, reason)
    }
    assert.equal(count(issuer, 'no-rule'), 2)
    for (const reason of ['issuer-unknown', 'malformed', 'too-large']) {
      assert.equal(count('(unknown)', reason), 1, reason)
    }

    const places = { log: Buffer.from(service.log()), ...(await tables(service)) }
    const secrets = [
      ...sent.flatMap(([reason, text]) => partsOf(text).flatMap((part) => secretsOf(reason, part))),
      ...minted.flatMap((text) => secretsOf('minted', text.slice(48))),
      ...secretsOf('e-mail address', EMAIL),
    ]
    assert.deepEqual(find(secrets, places), [])
    assert.ok(service.log().includes('/api/v2/tokens/oidc'))
  })

  /** Returns payload and signature; the header is the same for all. */
  const partsOf = (text: string) =>
    text
      .split('.')
      .slice(1, 3)
      .filter((part) => part.length > 32)

  /** Returns the tables that exchanges write. */
  async function tables({ installation }: TestService) {
    const { query } = installation.database
    const read = async (table: 'audit_entry' | 'token_session' | 'used_workload_token') =>
      Buffer.from(JSON.stringify(await query.selectFrom(table).selectAll().execute(), bigints))
    return {
      audit: await read('audit_entry'),
      sessions: await read('token_session'),
      used: await read('used_workload_token'),
    }
  }
})

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
