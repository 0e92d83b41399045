/** The number of statements of an agent's login before its exchange, which another test counts with those of tokens. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentDischarge, newAgent } from '../support/agent-login.ts'
import { eachDatabase } from '../support/databases.ts'
import { addPerson, exchangeSlice, getRoot } from '../support/service.ts'
import { statementCounts, TIMES } from '../support/statements.ts'

eachDatabase((_kind, _open, fresh) => {
  const statementsDuring = statementCounts(fresh)

  test('a login by an agent', async () => {
    const statementsOf = await statementsDuring(async (service) => {
      const agent = await newAgent(service, await addPerson(service), 'builder')
      for (let i = 0; i < TIMES; i++) {
        await exchangeSlice(service, await agentDischarge(await getRoot(service), agent))
      }
    })
    assert.deepEqual(statementsOf('POST /api/v2/tokens'), [])
    assert.deepEqual(statementsOf('POST /identity/discharge', 401), [])
    assert.deepEqual(statementsOf('GET /identity/login/agent'), [])
    assert.deepEqual(statementsOf('POST /identity/discharge', 200), [])
  })
})
