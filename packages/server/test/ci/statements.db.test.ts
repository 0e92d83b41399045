/** Tests that an exchange costs at most 8 statements, including the beginning and end of its transaction. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase } from '../support/databases.ts'
import { EXCHANGE, exchange, fieldsOf, idTokenOf, vectorIssuers, withRule } from '../support/exchanges.ts'
import { oidcVectors, ruleNamed } from '../support/id-tokens.ts'
import type { TestService } from '../support/service.ts'
import { statementCounts, TIMES } from '../support/statements.ts'

const GITHUB = 'github-environment'
const POST = `POST ${EXCHANGE}`

const USUAL = {
  postgres: [
    ...['begin', 'commit', 'insert token_session', 'insert used_workload_token'],
    ...['select oidc_issuer', 'select publisher_rule'],
  ],
  sqlite: [
    ...['begin', 'commit', 'insert audit_entry', 'insert token_session', 'insert used_workload_token'],
    ...['select oidc_issuer', 'select publisher_rule'],
  ],
} as const

eachDatabase((kind, _open, fresh) => {
  const statementsDuring = statementCounts(fresh)
  const issuers = vectorIssuers()
  const rule = ruleNamed(GITHUB)
  let made = false

  const withTheRule = async (service: TestService) => {
    if (!made) await withRule(service, rule, { issuers })
    made = true
  }
  const tokenFor = (service: TestService) => idTokenOf(GITHUB, { service, issuers, rule: GITHUB })

  test('a usual exchange runs the expected statements', async () => {
    const statementsOf = await statementsDuring(async (service) => {
      await withTheRule(service)
      for (let i = 0; i < TIMES; i++) {
        assert.equal((await exchange(service, fieldsOf(tokenFor(service)))).status, 200)
      }
    })
    assert.deepEqual(statementsOf(POST), USUAL[kind])
  })

  test('the first exchange with new keys and an unused rule costs at most 8 statements', async () => {
    const statementsOf = await statementsDuring(async (service) => {
      // Each has an issuer and a rule of its own, so that all cost the same.
      for (const issuerOf of [...oidcVectors().rules.keys()].slice(0, TIMES)) {
        await withRule(service, rule, { issuers, name: `first-of-${issuerOf}`, issuerOf })
        const text = idTokenOf(GITHUB, { service, issuers, rule: issuerOf })
        const fields = fieldsOf(text, { rule: `first-of-${issuerOf}` })
        assert.equal((await exchange(service, fields)).status, 200)
      }
    })
    const statements = statementsOf(POST)
    assert.ok(statements.length <= 8, statements.join('\n'))
    assert.deepEqual(statements, [...USUAL[kind], 'update publisher_rule'])
  })

  test('an ID token of an unknown issuer costs one look-up, and one that is too large costs nothing', async () => {
    const statementsOf = await statementsDuring(async (service) => {
      const unknown = (at: number) =>
        idTokenOf(GITHUB, { service, issuers, rule: GITHUB }, { issuerUrl: () => `https://${at}.example` })
      for (let i = 0; i < TIMES; i++) {
        assert.equal((await exchange(service, fieldsOf(unknown(i)))).status, 400)
      }
    })
    assert.deepEqual(statementsOf(POST), ['select oidc_issuer'])
    const none = await statementsDuring(async (service) => {
      for (let i = 0; i < TIMES; i++) {
        assert.equal((await exchange(service, fieldsOf('x'.repeat(16 * 1024 + 1)))).status, 400)
      }
    })
    assert.deepEqual(none(POST), [])
  })
})
