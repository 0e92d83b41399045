/** Accounts that log in with a password, and the requests that publisher tools send. */
import assert from 'node:assert/strict'
import { LoginErrorSchema } from '@ratafia/api/schemas'
import {
  bindDischarge,
  decodeBase64,
  decodeBinary,
  encodeBase64Url,
  encodeBinary,
  type Macaroon,
} from '@ratafia/macaroon'
import { Check } from 'typebox/value'
import type { Account } from '../../src/accounts/account.ts'
import { addAccount, PASSWORD } from './accounts.ts'
import { type Answer, call, type TestService } from './service.ts'

export { PASSWORD }

let people = 0

/** Adds an account with {@link PASSWORD}. */
export function addPublisher(
  { installation }: Pick<TestService, 'installation'>,
  username = `publisher-${++people}`,
): Promise<Account> {
  const fields = {
    username,
    email: `${username}@example.com`,
    name: `Name of ${username}`,
    password: PASSWORD,
  }
  return addAccount(fields, installation)
}

type Place = Pick<TestService, 'baseUrl'>

export interface RootRequest {
  readonly path?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** Requests a version 1 root macaroon, in base64url. */
export async function getPasswordRoot(
  service: Place,
  { path = '/dev/api/acl/', body = {}, headers = {} }: RootRequest = {},
): Promise<string> {
  const answer = await call(service, 'POST', path, { body, headers })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.macaroon
}

export function decoded(text: string): Macaroon {
  const [macaroon, ...more] = decodeBinary(decodeBase64(text))
  assert.equal(more.length, 0)
  return macaroon
}

export const encoded = (macaroon: Macaroon): string => encodeBase64Url(encodeBinary(macaroon))

/** Returns the id of the root's third-party caveat. */
export function caveatIdOf(root: string): string {
  const caveats = decoded(root).caveats.filter(({ verificationId }) => verificationId !== undefined)
  assert.equal(caveats.length, 1)
  return Buffer.from(caveats[0]?.id ?? []).toString()
}

/** Requests a discharge with these fields, and returns the answer. */
export const requestDischarge = (service: Place, body: unknown): Promise<Answer> =>
  call(service, 'POST', '/api/v2/tokens/discharge', { body })

export const refresh = (service: Place, discharge: unknown): Promise<Answer> =>
  call(service, 'POST', '/api/v2/tokens/refresh', { body: { discharge_macaroon: discharge } })

export interface Pair {
  readonly root: string
  /** The unbound discharge. */
  readonly discharge: string
}

/** Logs in as snapcraft does. */
export async function logInWithPassword(
  service: Place,
  { username: email }: Pick<Account, 'username'>,
  request: RootRequest = {},
): Promise<Pair> {
  const root = await getPasswordRoot(service, request)
  const { status, body } = await requestDischarge(service, {
    email,
    password: PASSWORD,
    caveat_id: caveatIdOf(root),
  })
  assert.equal(status, 200, JSON.stringify(body))
  return { root, discharge: body.discharge_macaroon }
}

export const bound = ({ root, discharge }: Pair): string =>
  encoded(bindDischarge(decoded(root), decoded(discharge)))

/** Returns the header as craft-store writes it. */
export const pairHeader = (pair: Pair): Readonly<Record<'authorization', string>> => ({
  authorization: `Macaroon root=${pair.root}, discharge=${bound(pair)}`,
})

/** Returns the status, code and message of a refused login. Checks the form that these refusals share. */
export function loginRefusalOf({ status, headers, body }: Answer) {
  assert.ok(Check(LoginErrorSchema, body), JSON.stringify(body))
  assert.equal(headers.get('content-type'), 'application/json')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.deepEqual(body['error-list'], body.error_list)
  assert.equal(body.error_list[0]?.code, body.code.toLowerCase().replaceAll('_', '-'))
  assert.equal(headers.get('retry-after') !== null, status === 429 || status === 503)
  return { status, code: body.code, message: body.message }
}
