/** Tests jobs with an external identity service, which does not know the local accounts and never gets a request. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { TOKEN_TYPES } from '@ratafia/api'
import { encodeBase64 } from '@ratafia/macaroon'
import { generateKeyPair } from '@ratafia/macaroon/bakery'
import { addAccount } from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import { exchange, fieldsOf, idTokenOf, vectorIssuers, withRule } from '../support/exchanges.ts'
import { ruleNamed } from '../support/id-tokens.ts'
import { call, testService } from '../support/service.ts'

const GITHUB = 'github-environment'

let asked = 0
// Listens before the suites are declared, because their configuration names it.
const identity = createServer((_request, response) => {
  asked++
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ PublicKey: encodeBase64(generateKeyPair().publicKey), Version: 3 }))
})
await new Promise<void>((resolve) => identity.listen(0, '127.0.0.1', resolve))
after(() => identity.close())
const address = identity.address()
assert.ok(address !== null && typeof address === 'object')
const RATAFIA_IDENTITY_URL = `http://127.0.0.1:${address.port}`

eachDatabase((_kind, _open, fresh) => {
  for (const [title, environment] of [
    ['an identity service that declares ids', {}],
    [
      'an identity service that declares usernames, with known accounts only',
      { RATAFIA_IDENTITY_CONDITION: 'username', RATAFIA_ACCOUNTS: 'known' },
    ],
  ] as const) {
    describe(title, () => {
      const service = testService(fresh, { RATAFIA_IDENTITY_URL, ...environment })
      const issuers = vectorIssuers()
      const username = `releaser-${title.length}`
      before(async () => {
        const rule = ruleNamed(GITHUB)
        await addAccount(
          { username, email: `${username}@example.com`, name: 'Releaser' },
          service.installation,
        )
        await withRule(service, rule, { issuers, account: username, name: username })
        asked = 0
      })

      for (const type of [TOKEN_TYPES.accessToken, TOKEN_TYPES.pair]) {
        test(`a job gets a ${type} that works as its rule's account, without creating an account`, async () => {
          const text = idTokenOf(GITHUB, { service, issuers, rule: GITHUB })
          const { status, body } = await exchange(
            service,
            fieldsOf(text, { requested_token_type: type, rule: username }),
          )
          assert.equal(status, 200, JSON.stringify(body))
          const headers = { authorization: `Macaroon ${body.access_token}` }
          const whoami = await call(service, 'GET', '/api/v2/tokens/whoami', { headers })
          assert.deepEqual([whoami.status, whoami.body.account?.username], [200, username])
          const accounts = await service.installation.database.query
            .selectFrom('account')
            .select('id')
            .execute()
          assert.ok(accounts.length <= 2)
          const revoked = await call(service, 'POST', '/api/v2/tokens/revoke', {
            headers,
            body: { 'session-id': body.session_id },
          })
          assert.equal(revoked.status, 200)
          assert.equal((await call(service, 'GET', '/api/v2/tokens/whoami', { headers })).status, 401)
          assert.equal(asked, 0)
        })
      }
    })
  }
})
