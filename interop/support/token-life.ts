/** The life of a token as every client sees it: whoami, list, revoke, and a 401 that says when and by whom. */
import assert from 'node:assert/strict'
import type { Answer } from './driver.ts'

/** One request to the service with a token, through the client under test. */
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
 * `tokens` are two of this account: the first has the description `description` and is revoked with the second. Returns
 * the revoked one's record and what its owner reads then.
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

/** Fails unless `answer` is the 401 of a revoked token that says when and by whom. */
export function assertRevoked(answer: Answer, revoked: Pick<TokenRecord, 'revoked-at' | 'revoked-by'>): void {
  assertUnauthorized(answer, ` revoked at ${revoked['revoked-at']} by ${revoked['revoked-by']}`)
}

/** Fails unless `answer` is a 401 that says `why`, as the body or as the client puts it. */
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

/** The body of a 200. */
export async function ok(answer: Promise<Answer>): Promise<unknown> {
  const { status, body, error, message } = await answer
  assert.equal(error, undefined, message)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

export const records = async (answer: Promise<Answer>): Promise<TokenRecord[]> =>
  ((await ok(answer)) as { macaroons: TokenRecord[] }).macaroons
