/**
 * Tests that each resource has one address, and that a path without one gets a 404 before anything else is examined.
 */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  MANAGEMENT_OPERATIONS,
  MANAGEMENT_PREFIX,
  OPERATIONS,
  PASSWORD_OPERATIONS,
} from '@ratafia/api/schemas'
import { oneDatabase } from '../support/databases.ts'
import { addOperator, managementToken } from '../support/managers.ts'
import { startNode, type TestNode } from '../support/nodes.ts'
import { sendRaw } from '../support/raw-http.ts'
import {
  addPerson,
  bearing,
  dischargeFor,
  getRoot,
  logIn,
  presenting,
  testService,
} from '../support/service.ts'

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Required by protocols (RFC 6749, 3.2), or for a proxy that passes on the query of the request it asks about. */
const ANY_QUERY: ReadonlySet<string> = new Set([
  'exchangeIdToken',
  'authorizationServer',
  'deviceSession',
  // Newer clients send more parameters.
  'assertion',
])

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)

  const send = async (
    baseUrl: string,
    method: string,
    path: string,
    { headers = {}, body = '' }: Sent = {},
  ) => {
    const lines = { Host: 'x', 'Content-Length': String(Buffer.byteLength(body)), ...headers }
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
    const [answer] = await sendRaw(baseUrl, `${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`)
    return answer ?? assert.fail('no answer')
  }

  suite('answers 404 before the body and its type are examined', () => {
    let identity: TestNode
    before(async () => {
      identity = await startNode(await fresh.target(), {}, { identityOnly: true })
    })
    after(() => identity.close())

    const paths: Readonly<Record<string, readonly string[]>> = {
      service: [
        ...['/nope', '/api/v2/tokens/nope', '/api/v1/snaps/auth/nope', '/v2/nope', '/v1/tokens/nope'],
        ...['/v1/nope', '/dev/api/nope/', '/publishergw/v1/nope', '/identity/nope', '/identity/v1/u/ada'],
        ...['/identity/login/nope', `${MANAGEMENT_PREFIX}/nope`, `${MANAGEMENT_PREFIX}/devices/1/nope`],
        ...['/console/nope', '/console/devices/1/nope'],
      ],
      identity: ['/nope', '/v1/u/ada', '/login/nope', '/api/v2/nope', '/console/', MANAGEMENT_PREFIX],
    }
    const bodies: readonly Sent[] = [
      {},
      { body: '{"a":1}', headers: { 'Content-Type': 'application/json' } },
      { body: '{{{', headers: { 'Content-Type': 'application/json' } },
      { body: '{{{', headers: { 'Content-Type': 'garbage' } },
      { body: 'a=b', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      { body: '--x--', headers: { 'Content-Type': 'multipart/form-data' } },
      { body: 'x'.repeat(100_000), headers: { 'Content-Type': 'text/plain' } },
      { body: 'x', headers: { 'Content-Encoding': 'gzip' } },
    ]
    for (const [application, ofIt] of Object.entries(paths)) {
      for (const path of ofIt) {
        test(`${application}: answers 404 to ${path}`, async () => {
          const { baseUrl } = application === 'service' ? service : identity
          for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
            for (const sent of bodies) {
              const { status, headers } = await send(baseUrl, method, path, sent)
              const said = JSON.stringify([method, { ...sent, body: sent.body?.slice(0, 20) }])
              assert.equal(status, 404, said)
              const isPage = path.startsWith('/console/') && application === 'service'
              const type = isPage ? 'text/html; charset=utf-8' : 'application/json'
              assert.equal(headers.get('content-type'), type, said)
            }
          }
        })
      }
    }
  })

  suite('answers 404 to a different spelling of an address', () => {
    /** Paths that proxies may block, for example to keep administration inside a network. */
    const isWithheld = (path: string) => /^\/(api\/management|console)\//.test(path)
    const spelled = (path: string): readonly string[] => {
      const [, first = '', ...rest] = path.split('/')
      const tail = rest.length > 0 ? `/${rest.join('/')}` : ''
      const encoded = `%${first.charCodeAt(0).toString(16)}${first.slice(1)}`
      const [beginning, end] = [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)]
      return [
        // Clients whose address ends with a slash double the first slash.
        ...(isWithheld(path) ? [`/${path}`] : []),
        `/${first}/${tail || '/'}`,
        `/.${path}`,
        `/x/..${path}`,
        `${path}/`,
        `${path}//`,
        `${path}/.`,
        `${path}%2f`,
        `${path}%20`,
        `${path};x`,
        `${path}#x`,
        `${path}.json`,
        `/${encoded}${tail}`,
        `/${first.toUpperCase()}${tail}`,
        ...(beginning === ''
          ? []
          : [`${beginning}%2F${end}`, `${beginning}%5c${end}`, `${beginning}\\${end}`]),
      ]
    }
    const addresses: readonly (readonly [method: 'GET' | 'POST', path: string])[] = [
      ['POST', OPERATIONS.createToken.path],
      ['GET', OPERATIONS.whoami.path],
      ['POST', OPERATIONS.oidcAudience.path],
      ['POST', OPERATIONS.nonces.path],
      ['POST', OPERATIONS.registerDevice.path],
      ['POST', '/v1/serial'],
      ['GET', '/device-session'],
      ['GET', '/health/ready'],
      ['GET', '/openapi.json'],
      ['POST', OPERATIONS.gatewayToken.path],
      ['POST', PASSWORD_OPERATIONS.passwordDischarge.path],
      ['GET', '/identity/discharge/info'],
      ['GET', '/identity/login'],
      ['GET', `${MANAGEMENT_PREFIX}/me`],
      ['GET', `${MANAGEMENT_PREFIX}/devices`],
      ['GET', '/console/tokens'],
      ['GET', '/.well-known/oauth-authorization-server'],
    ]
    for (const [method, path] of addresses) {
      test(`${method} ${path} has one spelling`, async () => {
        assert.notEqual((await send(service.baseUrl, method, path)).status, 404, path)
        for (const other of spelled(path)) {
          // Bakery clients in JavaScript send it (contract/bakery.md).
          if (other === '/identity//discharge/info') continue
          // An id can be any string: routes with an id have no record with such an id.
          const { status } = await send(service.baseUrl, method, other)
          assert.ok(status === 404 || isOfParent(other, status), `${other}: ${status}`)
        }
      })
    }

    /** `/console/tokens/.` names a token, and a signed-out client does not learn that it does not exist. */
    const isOfParent = (path: string, status: number): boolean =>
      (/^\/(api\/management\/v1|console)\/\w+\/[^/]/.test(path) && (status === 401 || status === 303)) ||
      (/\\/.test(path) && status === 400)

    test('an empty id', async () => {
      for (const path of [
        '/accounts/',
        '/devices/',
        '/tokens/',
        '/devices//approve',
        '/models//x',
        '/models/x/',
      ]) {
        const { status, body } = await send(service.baseUrl, 'GET', `${MANAGEMENT_PREFIX}${path}`)
        assert.deepEqual([status, JSON.parse(body).error_list[0].code], [404, 'not-found'], path)
      }
    })

    test('two slashes in a row: the message explains their usual cause', async () => {
      const { body } = await send(service.baseUrl, 'POST', '/api//v2/tokens')
      assert.match(JSON.parse(body).error_list[0].message, /two slashes in a row.*remove that slash\.$/)
    })

    test('accepts a double first slash, from clients whose address ends with a slash', async () => {
      assert.equal((await send(service.baseUrl, 'POST', '//api/v2/tokens')).status, 200)
      assert.equal((await send(service.baseUrl, 'GET', '//identity/login')).status, 400)
    })

    test('accepts a double slash before `discharge`, from bakery clients in JavaScript', async () => {
      const { status, body } = await send(service.baseUrl, 'POST', '/identity//discharge')
      assert.deepEqual([status, JSON.parse(body).Code], [400, 'bad request'])
    })
  })

  suite('answers 400 to a query parameter that the operation does not have', () => {
    let credentials: Readonly<Record<string, Readonly<Record<string, string>>>>
    before(async () => {
      const person = await addPerson(service)
      credentials = {
        token: bearing(await logIn(service, person)),
        'management-token': bearing(await managementToken(service, await addOperator(service))),
      }
    })
    const present = async (credential: string): Promise<Readonly<Record<string, string>>> =>
      credential === 'root-and-discharge'
        ? presenting(await dischargeFor(service, await getRoot(service), await addPerson(service)))
        : (credentials[credential] ?? {})

    interface Described {
      readonly path: string
      readonly method?: string
      readonly credential?: string
    }
    const operations = Object.entries<Described>({ ...OPERATIONS, ...PASSWORD_OPERATIONS }).filter(
      ([name]) => !ANY_QUERY.has(name),
    )
    const managing = Object.entries<Described>(MANAGEMENT_OPERATIONS)
      .filter(([, { credential }]) => credential === 'management-token')
      .map(
        ([name, { path, ...operation }]) => [name, { ...operation, path: MANAGEMENT_PREFIX + path }] as const,
      )
    for (const [name, { path, method = 'POST', credential = 'none' }] of [...operations, ...managing]) {
      test(`${name} refuses an unknown parameter`, async () => {
        const address = path.replace('/*', '/x').replaceAll(/:\w+/g, '0')
        const headers = await present(credential)
        const { status, body } = await send(service.baseUrl, method, `${address}?frob=1`, { headers })
        const [{ message }] = JSON.parse(body).error_list
        // Something else that is missing may be reported first.
        assert.match(
          `${status} ${message}`,
          /^(400 The (query has an unknown parameter: "frob"|query lacks |body |field )|404 There is no job "[^"]*"\.)/,
        )
      })
    }

    const spellings: Readonly<Record<string, string>> = {
      'include_inactive=true': 'include-inactive',
      'include-inactive[]=true': 'include-inactive',
      'Include-Inactive=true': 'include-inactive',
      'includeInactive=true': 'include-inactive',
      'include-inactve=true': 'include-inactive',
    }
    for (const path of [OPERATIONS.listTokens.path, OPERATIONS.gatewayTokens.path]) {
      for (const [query, meant] of Object.entries(spellings)) {
        test(`GET ${path}?${query}: the message names the intended parameter`, async () => {
          const headers = await present('token')
          const { status, body } = await send(service.baseUrl, 'GET', `${path}?${query}`, { headers })
          const [{ code, message, extra }] = JSON.parse(body).error_list
          assert.deepEqual([status, code, extra], [400, 'invalid-request', { field: 'query' }])
          const name = query.slice(0, query.indexOf('='))
          assert.equal(message, `The query has an unknown parameter: "${name}". Did you mean "${meant}"?`)
        })
      }
    }

    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/health/live'],
      ['GET', '/identity/discharge/info'],
      ['GET', '/.well-known/oauth-authorization-server'],
    ] as const) {
      test(`${method} ${path} ignores an unknown parameter`, async () => {
        assert.equal((await send(service.baseUrl, method, `${path}?utm_source=x`)).status, 200)
      })
    }
  })
})
