/** Counts the statements of a login's requests, so that an additional one is noticed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase } from '../support/databases.ts'
import {
  addPerson,
  call,
  dischargeFor,
  exchangeSlice,
  getRoot,
  presenting,
  type TestService,
} from '../support/service.ts'
import { hearsOfChanges, statementCounts, TIMES } from '../support/statements.ts'

const EXCHANGE = '/api/v2/tokens/exchange'
const POST_EXCHANGE = `POST ${EXCHANGE}`

eachDatabase((kind, _open, fresh) => {
  const statementsDuring = statementCounts(fresh)

  /** Returns logins that have not been exchanged yet. */
  const newLogins = async (service: TestService) => {
    const person = await addPerson(service)
    return Promise.all(
      Array.from({ length: TIMES }, async () => dischargeFor(service, await getRoot(service), person)),
    )
  }

  test('issuing a root macaroon does not run any statement', async () => {
    const statementsOf = await statementsDuring(newLogins)
    assert.deepEqual(statementsOf('POST /api/v2/tokens'), [])
  })

  test('an exchange costs a fixed list of statements', async () => {
    const statementsOf = await statementsDuring(async (service) => {
      for (const login of await newLogins(service)) await exchangeSlice(service, login)
    })
    assert.deepEqual(
      statementsOf(POST_EXCHANGE),
      kind === 'postgres'
        ? ['insert token_session', 'select account']
        : ['begin', 'commit', 'insert audit_entry', 'insert token_session', 'select account'],
    )
  })

  test('another exchange of the same login costs one statement', async () => {
    const statementsOf = await statementsDuring(async (service) => {
      const [login] = await newLogins(service)
      if (!login) throw new TypeError('no login')
      for (let i = 0; i <= TIMES; i++) await exchangeSlice(service, login)
    })
    assert.deepEqual(statementsOf(POST_EXCHANGE), ['select account'])
  })

  test('simultaneous exchanges share their statements', async () => {
    const statementsOf = await statementsDuring(async (service) => {
      // If the machine stalls, the requests of that moment cost more, so repeat them.
      for (let again = 0; again < 3; again++) {
        const headers = (await newLogins(service)).map(presenting)
        await hearsOfChanges(service)
        const all = headers.map((one) => call(service, 'POST', EXCHANGE, { headers: one, body: {} }))
        for (const { status } of await Promise.all(all)) assert.equal(status, 200)
      }
    })
    assert.deepEqual(statementsOf(POST_EXCHANGE), [])
  })
})
