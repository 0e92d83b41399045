/** How many statements an exchange costs: at most 8, with those that begin and end its transaction. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase } from '../support/databases.ts'
import { EXCHANGE, exchange, fieldsOf, idTokenOf, vectorIssuers, withRule } from '../support/exchanges.ts'
import { rulesOf } from '../support/id-tokens.ts'
import { recordStatements } from '../support/recorded-statements.ts'
import type { TestService } from '../support/service.ts'
import { statementCounts, TIMES } from '../support/statements.ts'

const GITHUB = 'github-environment'
const POST = `POST ${EXCHANGE}`

eachDatabase((kind, _open, fresh) => {
  const statementsDuring = statementCounts(fresh)
  const issuers = vectorIssuers()
  const [rule] = rulesOf(GITHUB)
  let made = false

  const withTheRule = async (service: TestService) => {
    assert.ok(rule)
    if (!made) await withRule(service, rule, { issuers })
    made = true
  }
  const tokenFor = (service: TestService) => idTokenOf(GITHUB, { service, issuers, rule: GITHUB })

  test('an exchange', async () => {
    const statementsOf = await statementsDuring(async (service) => {
      await withTheRule(service)
      for (let i = 0; i < TIMES; i++) {
        assert.equal((await exchange(service, fieldsOf(tokenFor(service)))).status, 200)
      }
    })
    assert.deepEqual(
      statementsOf(POST),
      kind === 'postgres'
        ? [
            'begin',
            'commit',
            'insert token_session',
            'insert used_workload_token',
            'select oidc_issuer',
            'select publisher_rule',
          ]
        : [
            'begin',
            'commit',
            'insert audit_entry',
            'insert token_session',
            'insert used_workload_token',
            'select oidc_issuer',
            'select publisher_rule',
          ],
    )
  })

  if (kind === 'postgres') {
    test('the dearest exchange: the first of a process, and the first by its rule in an hour', async () => {
      assert.ok(rule)
      const statementsOf = await statementsDuring(async (service) => {
        await withRule(service, rule, { issuers, name: 'another-rule', issuerOf: 'github-reusable' })
        const text = idTokenOf(GITHUB, { service, issuers, rule: 'github-reusable' })
        const statements = await recordStatements(
          [
            'begin',
            'commit',
            'oidc_issuer',
            'oidc_issuer_keys',
            'publisher_rule',
            'used_workload_token',
            'token_session',
            'account',
            'audit_entry',
          ],
          async () => assert.equal((await exchange(service, fieldsOf(text))).status, 200),
        )
        assert.ok(
          statements.length >= 6 && statements.length <= 8,
          statements.map(({ text }) => text).join('\n'),
        )
        for (let i = 0; i < TIMES; i++) await exchange(service, fieldsOf(tokenFor(service)))
      })
      assert.ok(statementsOf(POST).length <= 8)
    })
  }

  test('an ID token of an unknown issuer costs one look-up, and one that is too large none', async () => {
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
