/** A whole service in this process, on a fresh database, with a clock that tests advance and users who can log in. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { after, before } from 'node:test'
import { ErrorBodySchema } from '@ratafia/api/schemas'
import {
  addFirstPartyCaveat,
  decodeBase64,
  decodeBinary,
  encodeBase64Url,
  encodeBinary,
  type Macaroon,
} from '@ratafia/macaroon'
import {
  decodeBakeryMacaroon,
  discharge,
  dischargeAll,
  formatMacaroonsHeader,
} from '@ratafia/macaroon/bakery'
import { Check } from 'typebox/value'
import type { Account } from '../../src/accounts/account.ts'
import { formatLoginMark } from '../../src/accounts/ended-logins/login-mark.ts'
import { readConfig } from '../../src/config/config.ts'
import { withOwnKeyPairs } from '../../src/identity/discharge/own-key-pairs.ts'
import type { ServiceOptions } from '../../src/start/options.ts'
import { type RunningService, startService } from '../../src/start/service/service.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { addAccount, addAgent } from './accounts.ts'
import { type Fresh, patient } from './databases.ts'
import { assertDocumented } from './openapi.ts'
import { cheapPasswords } from './passwords.ts'

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')

export interface TestService extends Pick<RunningService, 'baseUrl' | 'installation'> {
  /** Advances the service's clock. */
  advance(milliseconds: number): void
  now(): Date
}

/**
 * Returns a service on the suite's database, which runs during the suite's tests. `warnings` are the messages that it
 * has logged as warnings or errors.
 */
export function testService(
  fresh: Pick<Fresh, 'target'>,
  environment: Readonly<Record<string, string>> = {},
  more: Pick<ServiceOptions, 'readDocs'> = {},
): TestService &
  Pick<RunningService, 'origin'> & {
    readonly warnings: readonly string[]
    /** Stops the service's clock at this instant; undefined lets it run again. */
    hold(at: Date | undefined): void
  } {
  const warnings: string[] = []
  let running: RunningService | undefined
  let directory: string
  let offset = 0
  let held: Date | undefined
  const now = () => held ?? new Date(Date.now() + offset)
  const service = () => running ?? assert.fail('the service runs only while the tests of its suite do')
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ratafia-service-'))
    const target = await fresh.target()
    const config = readConfig({
      RATAFIA_PORT: '0',
      RATAFIA_DATA_DIR: directory,
      RATAFIA_SECRET_KEY: SECRET_KEY,
      // The tests send as many requests from one address as a thousand clients.
      RATAFIA_RATE_LIMITS: 'off',
      ...(target.kind === 'postgres' ? { RATAFIA_DATABASE_URL: target.url } : {}),
      ...environment,
    })
    const to = new Writable({
      write: (line: Buffer, _encoding, done) => {
        warnings.push(JSON.parse(line.toString()).msg)
        done()
      },
    })
    const log = createLog({ level: 'warn', pretty: false, to })
    running = await startService({
      config: { ...config, database: patient(target) },
      log,
      clock: now,
      passwords: cheapPasswords(),
      ...more,
    })
  })
  after(async () => {
    await running?.close()
    await rm(directory, { recursive: true, force: true })
  })
  return {
    get origin() {
      return service().origin
    },
    get baseUrl() {
      return service().baseUrl
    },
    get installation() {
      return service().installation
    },
    warnings,
    now,
    advance: (milliseconds) => {
      offset += milliseconds
    },
    hold: (at) => {
      held = at
    },
  }
}

let people = 0

/** Adds an account without a password. Tests log in by creating a discharge with the identity service's key. */
export function addPerson(
  { installation }: Pick<TestService, 'installation'>,
  username = `person-${++people}`,
): Promise<Account> {
  return addAccount({ username, email: `${username}@example.org`, name: `Name of ${username}` }, installation)
}

/** Adds an agent to an account. Its key is new unless `more` has one. */
export const addAgentTo = (
  { installation, baseUrl }: Pick<TestService, 'installation' | 'baseUrl'>,
  { username }: Pick<Account, 'username'>,
  name: string,
  more: Omit<Parameters<typeof addAgent>[0], 'account' | 'name'> = {},
) => addAgent({ name, account: username, ...more }, { ...installation, location: `${baseUrl}/identity` })

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: only assertions read it
  readonly body: any
}

/** Returns the status, code and message of a refusal. Checks the form that all refusals share. */
export function refusalOf({ status, headers, body }: Answer): {
  status: number
  code: string
  message: string
} {
  assert.ok(Check(ErrorBodySchema, body), JSON.stringify(body))
  assert.equal(headers.get('content-type'), 'application/json')
  assert.equal(headers.get('snap-store-version'), '32')
  assert.deepEqual(body['error-list'], body.error_list)
  const [first] = body.error_list
  if (!first) throw new Error('the list of errors is empty')
  if (status === 401) {
    // A bare "Macaroon" would make bakery clients parse the body as their own format. Never needs_refresh.
    assert.equal(headers.get('www-authenticate'), 'Macaroon realm="Ratafia"')
    assert.equal(first.extra['realm'], 'Ratafia')
  }
  return { status, code: first.code, message: first.message }
}

/** Sends a request, with a body that is not a string as JSON. Fails if the answer is not as documented. */
export async function call(
  service: { readonly baseUrl: string },
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<Answer> {
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(sent === undefined ? {} : { body: sent }),
  })
  const text = await response.text()
  assertDocumented({
    method,
    path,
    request: { headers, body: sent },
    status: response.status,
    headers: response.headers,
    text,
  })
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

/** Requests a root macaroon for a token. */
export async function getRoot(service: Pick<TestService, 'baseUrl'>, request: unknown = {}): Promise<string> {
  const { status, body } = await call(service, 'POST', '/api/v2/tokens', { body: request })
  assert.equal(status, 200, JSON.stringify(body))
  return body.macaroon
}

/** Discharges a root for this person as the identity service does, and returns the bound slice of a bakery client. */
export async function dischargeFor(
  { installation, now }: TestService,
  root: string,
  person: Account,
  conditions: (person: Account) => readonly string[] = (account) => [
    `declared userid ${account.id}`,
    formatLoginMark(account, now()),
    `time-before ${new Date(now().getTime() + 86_400_000).toISOString()}`,
  ],
): Promise<readonly [Macaroon, ...Macaroon[]]> {
  return dischargeAll(decodeBakeryMacaroon(JSON.parse(root)), ({ id }) =>
    withOwnKeyPairs(installation.keyring, (keyPairs) =>
      discharge({ id, keyPairs, check: () => conditions(person) }),
    ),
  )
}

/** Returns the headers that present a slice. */
export const presenting = (slice: readonly Macaroon[]): Record<string, string> => ({
  macaroons: formatMacaroonsHeader(slice),
})

export const bearing = (token: string): Record<string, string> => ({ authorization: `Macaroon ${token}` })

export async function exchangeSlice(service: TestService, slice: readonly Macaroon[]): Promise<string> {
  const { status, body } = await call(service, 'POST', '/api/v2/tokens/exchange', {
    headers: presenting(slice),
    body: {},
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body.macaroon
}

/** Logs in with root, discharge and exchange, and returns the token. */
export async function logIn(service: TestService, person: Account, request: unknown = {}): Promise<string> {
  return exchangeSlice(service, await dischargeFor(service, await getRoot(service, request), person))
}

/** Requests `whoami` with a token, and returns the status. */
export async function whoami(service: { readonly baseUrl: string }, token: string): Promise<number> {
  return (await call(service, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })).status
}

/** Returns the macaroon of a token. */
export const macaroonOf = (token: string): Macaroon => decodeBinary(decodeBase64(token))[0]

/** Returns the token with a condition that its holder appended. */
export const narrowed = (token: string, condition: string): string =>
  encodeBase64Url(encodeBinary(addFirstPartyCaveat(macaroonOf(token), condition)))

/** Returns the session id of a token. */
export const sessionOf = (token: string): string => sessionIdOf(macaroonOf(token))

/** Returns the session id in a root or a token. */
export function sessionIdOf(macaroon: Macaroon): string {
  for (const { id } of macaroon.caveats) {
    const [, sessionId] = /^session-id (.+)$/.exec(Buffer.from(id).toString()) ?? []
    if (sessionId) return sessionId
  }
  throw new Error('the macaroon has no session-id')
}

/** Revokes a session with a token of its account. */
export const revokeSession = (
  service: { readonly baseUrl: string },
  token: string,
  sessionId: unknown,
): Promise<Answer> =>
  call(service, 'POST', '/api/v2/tokens/revoke', {
    headers: bearing(token),
    body: { 'session-id': sessionId },
  })

/** Revokes a token's session with the token itself. Fails if the service refuses. */
export async function revokeOwn(service: { readonly baseUrl: string }, token: string): Promise<Answer> {
  const answer = await revokeSession(service, token, sessionOf(token))
  assert.equal(answer.status, 200)
  return answer
}
