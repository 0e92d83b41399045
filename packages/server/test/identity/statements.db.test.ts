/** The number of statements of an agent's login before its exchange, which another test counts with those of tokens. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeKey, keyPairFromPrivateKey } from '@ratafia/macaroon/bakery'
import { addAgent } from '../support/accounts.ts'
import { agentDischarge } from '../support/agent-login.ts'
import { eachDatabase } from '../support/databases.ts'
import { addPerson, exchangeSlice, getRoot } from '../support/service.ts'
import { statementCounts, TIMES } from '../support/statements.ts'

eachDatabase((_kind, _open, fresh) => {
  const statementsDuring = statementCounts(fresh)

  test('a login by an agent', async () => {
    const statementsOf = await statementsDuring(async (service) => {
      const { installation, baseUrl } = service
      const account = await addPerson(service)
      const where = { ...installation, location: `${baseUrl}/identity` }
      const { agent, file } = await addAgent({ name: 'builder', account: account.id }, where)
      assert.ok(file)
      const keyPair = keyPairFromPrivateKey(decodeKey(file.key.private))
      for (let i = 0; i < TIMES; i++) {
        const root = await getRoot(service)
        await exchangeSlice(service, await agentDischarge(root, { name: agent.name, keyPair }))
      }
    })
    assert.deepEqual(statementsOf('POST /api/v2/tokens'), [])
    assert.deepEqual(statementsOf('POST /identity/discharge', 401), [])
    assert.deepEqual(statementsOf('GET /identity/login/agent'), [])
    assert.deepEqual(statementsOf('POST /identity/discharge', 200), [])
  })
})
