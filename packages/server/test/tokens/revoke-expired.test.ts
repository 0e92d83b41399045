/** Expired credentials can be revoked like others: with a 200, and a record that shows the revocation (decision 60). */
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { addAcme } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import { addOperator, manage, managementToken } from '../support/managers.ts'
import { bearing, call, logIn, sessionOf, testService } from '../support/service.ts'

const DAY_MS = 86_400_000
const CLASSIC = '/models/acme-brand/acme-classic'

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let operator: Account
  const manager = () => managementToken(service, operator)

  before(async () => {
    await addAcme({ ...service.installation, clock: service.now })
    operator = await addOperator(service)
  })

  const inADay = () => new Date(service.now().getTime() + DAY_MS).toISOString()

  /** Returns the id of a session of the operator that has just expired. */
  async function expiredSession(): Promise<string> {
    const token = await logIn(service, operator, { expires: inADay() })
    service.advance(DAY_MS + 1_000)
    return sessionOf(token)
  }

  const byToken = async (path: string, id: string) => {
    const headers = bearing(await logIn(service, operator))
    const { status, body } = await call(service, 'POST', path, { headers, body: { 'session-id': id } })
    return { status, at: body.macaroons?.[0]['revoked-at'] }
  }
  const byManager = async (path: string) => {
    const { status, body } = await manage(service, await manager(), 'POST', path, { body: {} })
    return { status, at: body.revoked_at }
  }

  suite('an expired session', () => {
    const ways: Readonly<Record<string, (id: string) => Promise<{ status: number; at: unknown }>>> = {
      'POST /api/v2/tokens/revoke': (id) => byToken('/api/v2/tokens/revoke', id),
      'POST /v1/tokens/revoke': (id) => byToken('/v1/tokens/revoke', id),
      'POST /publishergw/v1/tokens/revoke': (id) => byToken('/publishergw/v1/tokens/revoke', id),
      'the management API, for the caller’s own': (id) => byManager(`/me/tokens/${id}/revoke`),
      'the management API, for any account': (id) => byManager(`/tokens/${id}/revoke`),
    }
    for (const [way, revoke] of Object.entries(ways)) {
      test(`can be revoked with ${way}`, async () => {
        const id = await expiredSession()
        const first = await revoke(id)
        assert.equal(first.status, 200)
        assert.match(String(first.at), /^\d{4}-\d\d-\d\dT/)
        service.advance(1_000)
        assert.deepEqual(await revoke(id), first, 'the first revocation stays')
        const { body } = await manage(service, await manager(), 'GET', '/audit', {
          query: `?action=token.revoke&subject=${id}`,
        })
        assert.equal(body.entries.length, 1)
      })
    }
  })

  test('an expired API key can be revoked', async () => {
    const made = await manage(service, await manager(), 'POST', `${CLASSIC}/api-keys`, {
      body: { label: 'line 1', expires: inADay() },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    service.advance(DAY_MS + 1_000)
    const revoke = () => byManager(`${CLASSIC}/api-keys/${made.body.id}/revoke`)
    const first = await revoke()
    assert.equal(first.status, 200)
    assert.match(String(first.at), /^\d{4}-\d\d-\d\dT/)
    service.advance(1_000)
    assert.deepEqual(await revoke(), first, 'the first revocation stays')
  })

  test('an expired grant can be removed', async () => {
    const { username } = await addOperator(service)
    const made = await manage(service, await manager(), 'POST', '/grants', {
      body: { account: username, role: 'auditor', expires: inADay() },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    service.advance(DAY_MS + 1_000)
    assert.equal((await byManager(`/grants/${encodeURIComponent(made.body.id)}/remove`)).status, 200)
    const { body } = await manage(service, await manager(), 'GET', '/grants', {
      query: `?account=${username}`,
    })
    assert.deepEqual(
      body.grants.map(({ role }: { role: string }) => role),
      ['operator'],
    )
  })
})
