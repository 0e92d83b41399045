/**
 * Checks the parts of answers that clients read (contract/publisher-login.md, "What each client does with an error").
 */
import assert from 'node:assert/strict'
import { ERROR_CODES, LOGIN_ERROR_CODES } from '@ratafia/api'
import { caveatIdOf, decoded } from '../support/publishers.ts'
import type { RawAnswer } from '../support/raw-http.ts'
import { methodAndPath } from './recorded-request.ts'

// biome-ignore lint/suspicious/noExplicitAny: the expected form of a body is asserted.
type Body = any

interface Asked {
  readonly line: string
  readonly host: string
  /** The caveat id of the root that is discharged. */
  readonly caveatId: string
}

/** Fails unless a client can use the answer. */
export function assertReadable({ status, headers, body: text }: RawAnswer, asked: Asked): Body {
  assert.equal(headers.get('content-type'), 'application/json')
  const body = JSON.parse(text)
  const what = methodAndPath(asked.line)
  if (status === 200) (READ[what] ?? assert.fail(`there are no expectations for ${what}`))(body, asked)
  else assertRefusal(status, headers, body, what)
  return body
}

const READ: Readonly<Record<string, (body: Body, asked: Asked) => void>> = {
  'POST /dev/api/acl/': assertRoot,
  'POST /v1/tokens/usso': assertRoot,
  'POST /api/v2/tokens/discharge': assertDischarge,
  'POST /api/v2/tokens/refresh': assertDischarge,
  'POST /v1/tokens/usso/exchange': ({ macaroon }) => assert.match(macaroon, /^[\w-]+$/),
  'POST /v1/tokens/offline/exchange': ({ macaroon }) => assert.match(macaroon, /^[\w-]+$/),
  'GET /api/v2/tokens/whoami': (body) => {
    assertMembers(body.account, ['email', 'id', 'name', 'username'])
    assertMembers(body, ['channels', 'packages', 'permissions'])
    assert.ok(!Number.isNaN(Date.parse(`${body.expires}Z`)))
  },
  'GET /v1/tokens/whoami': (body) => {
    assertMembers(body.account, ['display-name', 'email', 'id', 'username'])
    assertMembers(body, ['channels', 'packages', 'permissions'])
    assert.ok(!('expires' in body), 'snapcraft prints N/A')
  },
  'GET /dev/api/account': (body) => {
    assert.equal(typeof body.account_id, 'string')
    assert.deepEqual([body.account_keys, body['account-keys']], [[], []])
    assert.deepEqual(body.snaps, { 16: {} })
  },
  'POST /dev/api/acl/verify/': (body) => {
    assert.deepEqual([body.allowed, body.refresh_required], [true, false])
    assertMembers(body.account, ['displayname', 'email', 'openid', 'verified'])
    assertMembers(body, ['channels', 'expires', 'last_auth', 'permissions', 'snap_ids'])
  },
}

function assertRoot({ macaroon }: Body, { host }: Asked): void {
  assert.match(macaroon, /^MDA[\w-]+$/, 'version 1 in base64url without padding')
  const [login, ...others] = decoded(macaroon).caveats.filter((caveat) => caveat.verificationId)
  assert.deepEqual([login?.location, others], [host, []])
  assert.match(caveatIdOf(macaroon), /^[\x20-\x7e]+$/)
}

function assertDischarge({ discharge_macaroon: text }: Body, { caveatId, host }: Asked): void {
  assert.match(text, /^MDA[\w-]+$/)
  const { id, location } = decoded(text)
  assert.deepEqual([Buffer.from(id).toString(), location], [caveatId, host])
}

function assertRefusal(status: number, headers: ReadonlyMap<string, string>, body: Body, what: string): void {
  assert.deepEqual(body['error-list'], body.error_list)
  const [{ code, message }] = body.error_list
  assert.ok(message)
  if (code === 'macaroon-needs-refresh') {
    assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Macaroon needs_refresh=1'])
  }
  if (status === 429) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  if (what.startsWith('POST /dev/api/acl/')) assert.equal(body.title, message)
  if (!/^POST \/api\/v2\/tokens\/(discharge|refresh)$/.test(what)) return
  assert.equal(body.code.toLowerCase().replaceAll('_', '-'), code)
  assert.equal(body.message, message)
  for (const value of Object.values(body.extra)) {
    const texts = Array.isArray(value) ? value : [value]
    assert.ok(texts.every((one) => typeof one === 'string'))
  }
}

/** Returns the error code that clients act on, if the recorder used one that this service also uses. */
export function codeToExpect(recorded: string): string | undefined {
  const code: unknown = JSON.parse(recorded).error_list?.[0]?.code
  return typeof code === 'string' && OUR_CODES.has(code) ? code : undefined
}

const OUR_CODES = new Set([
  ...Object.keys(ERROR_CODES),
  ...Object.keys(LOGIN_ERROR_CODES).map((code) => code.toLowerCase().replaceAll('_', '-')),
])

function assertMembers(body: Body, names: readonly string[]): void {
  for (const name of names) assert.ok(name in body, `${name} in ${JSON.stringify(body)}`)
}
