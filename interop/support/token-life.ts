/** The life of a token as every client sees it: whoami, list, revoke, and a 401 with the time and author of that. */
import assert from 'node:assert/strict'
import type { Answer } from './driver.ts'

/** Sends a request to the service with a token, through the client under test. */
export type Call = (
  token: string,
  method: 'GET' | 'POST',
  path: string,
  body?: Readonly<Record<string, unknown>>,
) => Promise<Answer>

export interface TokenRecord {
  readonly description: string | null
  readonly 'session-id': string
  readonly 'revoked-at': string | null
  readonly 'revoked-by': string | null
  readonly 'valid-since': string
  readonly 'valid-until': string
}

export interface Account {
  readonly username: string
  readonly email: string
  readonly name: string
}

/**
 * Uses the first of two tokens of this account, which has the description `description`, and revokes it with the
 * second. Checks the record of the revoked token, and the answer that it gets then.
 */
export async function liveAndRevoke(
  call: Call,
  tokens: { readonly first: string; readonly second: string; readonly description: string },
  account: Account,
): Promise<void> {
  const { first, second, description } = tokens
  const me = (await ok(call(first, 'GET', '/api/v2/tokens/whoami'))) as { account: Account }
  const { username, email, name } = me.account
  assert.deepEqual(
    { username, email, name },
    { username: account.username, email: account.email, name: account.name },
  )

  const record = (await records(call(second, 'GET', '/api/v2/tokens'))).find(
    (one) => one.description === description,
  )
  assert.ok(record, `the list has the token described as ${description}`)
  assert.equal(record['revoked-at'], null)
  assert.ok(Date.parse(record['valid-until']) > Date.parse(record['valid-since']))

  const sessionId = record['session-id']
  const [revoked] = await records(call(second, 'POST', '/api/v2/tokens/revoke', { 'session-id': sessionId }))
  assert.equal(revoked?.['session-id'], sessionId)
  assert.equal(revoked['revoked-by'], account.username)

  assertRevoked(await call(first, 'GET', '/api/v2/tokens/whoami'), revoked)
  const active = await records(call(second, 'GET', '/api/v2/tokens'))
  assert.ok(active.every((one) => one['session-id'] !== sessionId))
  const all = await records(call(second, 'GET', '/api/v2/tokens?include-inactive=true'))
  assert.deepEqual(
    all.find((one) => one['session-id'] === sessionId),
    revoked,
  )
}

/** Fails unless `answer` is the 401 of a revoked token, with the time and author of the revocation. */
export function assertRevoked(answer: Answer, revoked: Pick<TokenRecord, 'revoked-at' | 'revoked-by'>): void {
  assertUnauthorized(answer, ` revoked at ${revoked['revoked-at']} by ${revoked['revoked-by']}`)
}

/** Fails unless `answer` is a 401 that contains `why`, in its body or in the client's message. */
export function assertUnauthorized(
  { status, body, message }: Answer,
  why: string,
  code = 'macaroon-authorization-required',
): void {
  assert.equal(status, 401)
  const text = `${message} ${JSON.stringify(body)}`
  assert.ok(text.includes(code), text)
  assert.ok(text.includes(why), text)
}

/** Returns the body of a 200. Fails for any other answer. */
export async function ok(answer: Promise<Answer>): Promise<unknown> {
  const { status, body, error, message } = await answer
  assert.equal(error, undefined, message)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

export const records = async (answer: Promise<Answer>): Promise<TokenRecord[]> =>
  ((await ok(answer)) as { macaroons: TokenRecord[] }).macaroons
