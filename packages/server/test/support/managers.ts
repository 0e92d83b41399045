/** Accounts with roles, which administer a service over HTTP. */
import assert from 'node:assert/strict'
import type { Role } from '@ratafia/api'
import { MANAGEMENT_PREFIX } from '@ratafia/api/schemas'
import type { Account } from '../../src/accounts/account.ts'
import { formatLoginMark } from '../../src/accounts/ended-logins/login-mark.ts'
import { addGrant } from '../../src/management/grants/add-grant.ts'
import { addAccount } from './accounts.ts'
import { deciding } from './authorities.ts'
import {
  type Answer,
  addPerson,
  bearing,
  call,
  dischargeFor,
  presenting,
  type TestService,
} from './service.ts'

export interface Asking {
  readonly query?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** Sends a request to the management API with a token. `path` is below its prefix. */
export const manage = (
  service: Pick<TestService, 'baseUrl'>,
  token: string,
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
  path: string,
  { query = '', body, headers = {} }: Asking = {},
): Promise<Answer> =>
  call(service, method, `${MANAGEMENT_PREFIX}${path}${query}`, {
    headers: { ...bearing(token), ...headers },
    ...(body === undefined ? {} : { body }),
  })

/** Adds an account with these roles, each for the whole service or, as `ROLE BRAND`, for one brand. */
export async function addManager(service: TestService, ...roles: readonly string[]): Promise<Account> {
  const account = await addPerson(service)
  await giveRoles(service, account, ...roles)
  return account
}

/** The agents whose names tests declare without adding the agents. */
const DECLARED_AGENTS = ['ci', 'line', 'line-1', 'line-2', 'one', 'robot', 'two']

const YEAR_MS = 365 * 86_400_000

let operators = 0

/** Adds an operator with a password, because the last operator must be able to sign in. */
export async function addOperator(service: TestService): Promise<Account> {
  const username = `operator-${++operators}`
  const account = await addAccount(
    { username, email: `${username}@example.org`, name: username, password: 'correct horse battery' },
    service.installation,
  )
  await giveRoles(service, account, 'operator')
  return account
}

/** Returns a management token of a new account with these roles. */
export const managerToken = async (service: TestService, ...roles: readonly string[]): Promise<string> =>
  managementToken(service, await addManager(service, ...roles))

/** Requests all pages of a list, and returns its records, which the answers have in `field`. */
export async function everyPage(
  service: Pick<TestService, 'baseUrl'>,
  token: string,
  path: string,
  { field = path.slice(1), query = '', limit = 2 } = {},
  // biome-ignore lint/suspicious/noExplicitAny: only assertions read it
): Promise<any[]> {
  const found: unknown[] = []
  for (let cursor = '', pages = 0; ; pages++) {
    assert.ok(pages < 2_000, 'the list has no end')
    const parameters = `?limit=${limit}${query}${cursor}`
    const { status, body } = await manage(service, token, 'GET', path, { query: parameters })
    assert.equal(status, 200, JSON.stringify(body))
    assert.ok(body[field].length <= limit, parameters)
    found.push(...body[field])
    if (body.next === null) return found
    cursor = `&cursor=${body.next}`
  }
}

/** Asserts that requests about the first id get the same answer as about the others, which do not exist: 404. */
export async function assertMissing(
  ids: readonly string[],
  ask: (id: string) => Promise<Answer>,
): Promise<void> {
  const answers = await Promise.all(
    ids.map(async (id) => {
      const { status, body } = await ask(id)
      return [status, JSON.stringify(body).replaceAll(id, 'ID')]
    }),
  )
  for (const answer of answers) assert.deepEqual(answer, answers[0])
  assert.equal(answers[0]?.[0], 404)
}

export async function giveRoles(
  { installation, now }: TestService,
  { id }: Pick<Account, 'id'>,
  ...roles: readonly string[]
): Promise<void> {
  for (const text of roles) {
    const [role = '', brandId] = text.split(' ')
    // Uses the store, because the operation requires the brand to exist.
    assert.ok(
      await installation.grants.add({
        ...{ accountId: id, role: role as Role, brandId },
        // Long ago, because a role does not apply to logins before the grant.
        ...{ grantedAt: new Date(now().getTime() - YEAR_MS), grantedBy: 'operator', expiresAt: undefined },
        agents: DECLARED_AGENTS,
      }),
    )
  }
}

export const grant = (service: TestService, account: string, role: string, brand?: string) =>
  addGrant({ account, role, brand, authority: deciding() }, service.installation)

/** The sign-in that the identity service declares. Default: with a browser, now. */
export interface SignedIn {
  readonly signedIn?: string
}

/** Requests a root for `wanted`, discharges it for this account, exchanges it, and returns the answer. */
export async function exchangeAs(
  service: TestService,
  account: Account,
  wanted: object = {},
  { signedIn = `browser ${service.now().toISOString()}` }: SignedIn = {},
): Promise<Answer> {
  const root = await call(service, 'POST', `${MANAGEMENT_PREFIX}/tokens/root`, { body: wanted })
  assert.equal(root.status, 200, JSON.stringify(root.body))
  const slice = await dischargeFor(service, root.body.macaroon, account, () => [
    `declared userid ${account.id}`,
    `declared signed-in ${signedIn}`,
    formatLoginMark(account, service.now()),
    `time-before ${new Date(service.now().getTime() + 86_400_000).toISOString()}`,
  ])
  return call(service, 'POST', `${MANAGEMENT_PREFIX}/tokens/exchange`, {
    headers: presenting(slice),
    body: {},
  })
}

/** Returns a management token of this account. */
export async function managementToken(
  service: TestService,
  account: Account,
  wanted: object = {},
  how: SignedIn = {},
): Promise<string> {
  const { status, body } = await exchangeAs(service, account, wanted, how)
  assert.equal(status, 200, JSON.stringify(body))
  return body.macaroon
}
