/** White space around a credential, as files and shells leave it, is removed at every endpoint. */
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { MANAGEMENT_PREFIX, OPERATIONS } from '@ratafia/api/schemas'
import { oneDatabase } from '../support/databases.ts'
import { addOperator, managementToken } from '../support/managers.ts'
import { bearing, call, logIn, testService } from '../support/service.ts'

const AROUND: readonly (readonly [before: string, after: string])[] = [
  ['', '\n'],
  ['', '\r\n'],
  ['\n', ''],
  [' ', '\t'],
]

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let token: string
  let manager: Record<string, string>

  before(async () => {
    // Only the token's own account can explain it.
    const operator = await addOperator(service)
    token = await logIn(service, operator)
    manager = bearing(await managementToken(service, operator))
  })

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    call(service, 'POST', path, { body, headers })
  const places: Readonly<Record<string, (text: string) => Promise<boolean>>> = {
    'the token of an explanation': async (text) =>
      (await post(`${MANAGEMENT_PREFIX}/me/tokens/explain`, { token: text }, manager)).body.kind ===
      'developer-token',
    'the Authorization header that a store passes on': async (text) => {
      const { path } = OPERATIONS.verifyAuthorization
      return (await post(path, { auth_data: { authorization: `Macaroon ${text}` } })).body.allowed
    },
    'the macaroon of an offline exchange': async (text) =>
      (await post(OPERATIONS.offlineExchange.path, { macaroon: text })).status === 200,
  }
  for (const [place, isTaken] of Object.entries(places)) {
    suite(place, () => {
      for (const around of AROUND) {
        test(`accepts white space ${JSON.stringify(around)}`, async () => {
          assert.equal(await isTaken(token), true, 'unchanged')
          assert.equal(await isTaken(around.join(token)), true)
        })
      }
    })
  }

  suite('the header of a request', () => {
    for (const name of ['authorization', 'macaroons']) {
      test(`accepts white space in ${name}`, async () => {
        for (const space of [' ', '\t', '  ']) {
          const value =
            name === 'authorization' ? `Macaroon${space}${token}${space}` : `${space}${token}${space}`
          assert.equal(
            (await call(service, 'GET', '/api/v2/tokens/whoami', { headers: { [name]: value } })).status,
            200,
          )
        }
      })
    }
  })
})
