/** Tests how often an address can call public routes: which requests count together, and how they are refused. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { BakeryErrorSchema } from '@ratafia/api/schemas'
import { Check } from 'typebox/value'
import { oneDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'
import { sendRaw } from '../support/raw-http.ts'
import {
  addPerson,
  bearing,
  call,
  logIn,
  refusalOf,
  revokeOwn,
  type TestService,
  testService,
} from '../support/service.ts'

const LIMITS = {
  RATAFIA_RATE_LIMITS: [
    'tokens=3/1h,nonces=3/1h,sessions=3/1h,devices=3/1h',
    'assertions=3/1h,discharge=3/1h,pages=3/1h,wait-token=3/1h,refused=3/1h,management=3/1h',
  ].join(),
}

const MESSAGE = /^There are too many requests from your network\. Try again in \d+ seconds\.$/

type Form = 'api' | 'busy' | 'bakery' | 'page'

/** Every limited route by class, and the form of its refusals. */
const LIMITED: Readonly<Record<string, readonly (readonly [method: string, path: string, form: Form])[]>> = {
  tokens: [['POST', '/api/v2/tokens', 'api']],
  nonces: [
    ['POST', '/api/v1/snaps/auth/nonces', 'busy'],
    ['POST', '/api/v1/snaps/auth/request-id', 'busy'],
    ['POST', '/v1/request-id', 'busy'],
  ],
  sessions: [['POST', '/api/v1/snaps/auth/sessions', 'busy']],
  devices: [
    ['POST', '/api/v1/snaps/auth/devices', 'busy'],
    ['POST', '/v1/serial', 'busy'],
  ],
  assertions: [['GET', '/v2/assertions/account/unknown', 'busy']],
  discharge: [
    ['POST', '/identity/discharge', 'bakery'],
    ['GET', '/identity/login/agent', 'bakery'],
  ],
  pages: [
    ['GET', '/identity/login', 'page'],
    ['POST', '/identity/login', 'page'],
    ['POST', '/identity/confirm', 'page'],
    ['POST', '/identity/logout', 'page'],
    ['GET', '/', 'api'],
    ['GET', '/openapi.json', 'api'],
    ['GET', '/docs/', 'api'],
  ],
  'wait-token': [['GET', '/identity/wait-token', 'bakery']],
  management: [['GET', '/api/management/v1/openapi.json', 'api']],
}

const UNLIMITED: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/health/live'],
  ['GET', '/health/ready'],
  ['GET', '/nope'],
  ['GET', '/device-session'],
  ['GET', '/api/v2/tokens/oidc'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/identity'],
  ['GET', '/identity/nope'],
  ['GET', '/identity/discharge/info'],
  ['GET', '/identity/publickey'],
]

const send = (service: TestService, method: string, path: string, forwardedFor?: string) =>
  fetch(`${service.baseUrl}${path}`, {
    method,
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
  })

/** Whether a request for a root macaroon is accepted. */
async function passes(service: TestService, forwardedFor?: string): Promise<boolean> {
  const response = await send(service, 'POST', '/api/v2/tokens', forwardedFor)
  await response.text()
  assert.ok(response.status === 200 || response.status === 429, String(response.status))
  return response.status === 200
}

async function assertRefused(response: Response, form: Form): Promise<void> {
  const { status, headers } = response
  const text = await response.text()
  const retryAfter = Number(headers.get('retry-after'))
  // A third of an hour after the last accepted request, less what the test has taken since.
  assert.ok(retryAfter > 0 && retryAfter <= 1200, `Retry-After: ${retryAfter}`)
  if (form === 'page') {
    assert.deepEqual([status, headers.get('content-type')], [429, 'text/html; charset=utf-8'])
    assert.match(text, /<title>Too many requests/)
  } else if (form === 'bakery') {
    const body: unknown = JSON.parse(text)
    assert.ok(Check(BakeryErrorSchema, body), text)
    assert.deepEqual([status, body.Code], [429, 'too many requests'])
    assert.match(body.Message, MESSAGE)
  } else {
    const refusal = refusalOf({ status, headers, body: JSON.parse(text) })
    const expected = form === 'busy' ? [503, 'service-unavailable'] : [429, 'too-many-requests']
    assert.deepEqual([refusal.status, refusal.code], expected)
    assert.match(refusal.message, MESSAGE)
  }
}

oneDatabase((_kind, _open, fresh) => {
  suite('behind a trusted proxy', () => {
    const service = testService(fresh, {
      ...LIMITS,
      RATAFIA_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8, 2001:db8:ffff::/48',
    })
    let last = 0
    /** Returns an address in a new network. */
    const someone = () => `198.${18 + Math.floor(last / 256)}.${last++ % 256}.1`

    for (const [name, routes] of Object.entries(LIMITED)) {
      for (const [method, path, form] of routes) {
        test(`${name} allows ${method} ${path} three times at once, then once every 20 minutes`, async () => {
          const address = someone()
          for (let i = 0; i < 3; i++) {
            const { status } = await send(service, method, path, address)
            assert.ok(status < 429, `the answer to request ${i} is ${status}`)
          }
          // All routes of the class are closed.
          for (const [otherMethod, otherPath, otherForm] of routes) {
            await assertRefused(await send(service, otherMethod, otherPath, address), otherForm)
          }
          for (const [other, [first]] of Object.entries(LIMITED)) {
            if (other === name || !first) continue
            assert.ok((await send(service, first[0], first[1], address)).status < 429, other)
          }
          assert.ok((await send(service, method, path, someone())).status < 429)
          service.advance(20 * 60_000)
          assert.ok((await send(service, method, path, address)).status < 429)
          await assertRefused(await send(service, method, path, address), form)
        })
      }
    }

    test('does not limit requests that cost no work, or that the store sends for all its clients', async () => {
      const address = someone()
      for (const [method, path] of UNLIMITED) {
        for (let i = 0; i < 20; i++) {
          const { status } = await send(service, method, path, address)
          assert.ok(status !== 429 && status !== 503, `${method} ${path}: ${status}`)
        }
      }
    })

    const WITH_CREDENTIALS: readonly (readonly [method: string, path: string])[] = [
      ['GET', '/api/v2/tokens/whoami'],
      ['GET', '/api/v2/tokens'],
      ['POST', '/api/v2/tokens/exchange'],
      ['POST', '/api/v2/tokens/revoke'],
    ]
    const present = (method: string, path: string, address: string, token: string) =>
      call(service, method, path, {
        headers: { ...bearing(token), 'x-forwarded-for': address },
        ...(path.endsWith('/revoke') ? { body: { 'session-id': 'none' } } : {}),
      })
    const loggedIn = async () => {
      // Root macaroons are also limited.
      service.advance(3_600_000)
      return logIn(service, await addPerson(service))
    }
    const BAD = Buffer.from('bad').toString('base64url')

    test('failed refreshes of discharges count towards the same limit', async () => {
      const address = someone()
      const refresh = () =>
        call(service, 'POST', '/api/v2/tokens/refresh', {
          headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
          body: { discharge_macaroon: BAD },
        })
      for (let i = 0; i < 3; i++) assert.equal((await refresh()).status, 401)
      assert.equal((await present('GET', '/api/v2/tokens/whoami', address, BAD)).status, 401)
      assert.equal((await present('GET', '/api/v2/tokens/whoami', address, BAD)).status, 429)
    })

    for (const [method, path] of WITH_CREDENTIALS) {
      test(`after three refused credentials, ${method} ${path} and the others are closed to the address`, async () => {
        const token = await loggedIn()
        const other = await loggedIn()
        const address = someone()
        for (let i = 0; i < 100; i++) {
          // Accepted ones do not count.
          assert.equal((await present('GET', '/api/v2/tokens/whoami', address, token)).status, 200)
        }
        for (let i = 0; i < 4; i++) assert.equal((await present(method, path, address, BAD)).status, 401)
        for (const [otherMethod, otherPath] of WITH_CREDENTIALS) {
          const refused = await present(otherMethod, otherPath, address, `${BAD}x`)
          const { status, code, message } = refusalOf(refused)
          assert.deepEqual([status, code], [429, 'too-many-requests'], otherPath)
          assert.match(
            message,
            /^Too many credentials from your network were refused\. Try again in \d+ seconds/,
          )
          assert.ok(Number(refused.headers.get('retry-after')) > 1_000)
        }
        // Clients with an accepted credential continue, and so do all other networks.
        assert.equal((await present('GET', '/api/v2/tokens/whoami', address, token)).status, 200)
        assert.equal((await present('GET', '/api/v2/tokens/whoami', address, other)).status, 429)
        assert.equal((await present('GET', '/api/v2/tokens/whoami', someone(), other)).status, 200)
        service.advance(20 * 60_000 + 1_000)
        assert.equal((await present('GET', '/api/v2/tokens/whoami', address, other)).status, 200)
        assert.equal((await present(method, path, address, BAD)).status, 401)
      })
    }

    test('the addresses of a network together can have four times as many refusals', async () => {
      const from = (i: number) => present('GET', '/api/v2/tokens/whoami', `2001:db8:9:${i}::1`, BAD)
      for (let i = 0; i < 13; i++) assert.equal((await from(i)).status, 401)
      assert.equal((await from(13)).status, 429)
    })

    test('a revoked token no longer counts as accepted', async () => {
      const token = await loggedIn()
      const address = someone()
      assert.equal((await present('GET', '/api/v2/tokens/whoami', address, token)).status, 200)
      await revokeOwn(service, token)
      for (let i = 0; i < 4; i++) {
        assert.equal((await present('GET', '/api/v2/tokens/whoami', address, token)).status, 401)
      }
      assert.equal((await present('GET', '/api/v2/tokens/whoami', address, token)).status, 429)
    })

    test('refuses a request before its body is sent', async () => {
      const address = someone()
      for (let i = 0; i < 3; i++) await send(service, 'POST', '/api/v1/snaps/auth/devices', address)
      const [answer] = await sendRaw(
        service.baseUrl,
        `POST /api/v1/snaps/auth/devices HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nContent-Length: 4000000\r\n\r\n`,
      )
      assert.equal(answer?.status, 503)
    })

    test('counts all simultaneous requests', async () => {
      const address = someone()
      const results = await Promise.all(Array.from({ length: 20 }, () => passes(service, address)))
      assert.equal(results.filter(Boolean).length, 3)
    })

    const SAME: Readonly<Record<string, readonly string[]>> = {
      'an IPv6 /64': ['2001:db8:1::1', '2001:DB8:1:0:ffff::9', '2001:db8:1:0:1:2:3:4', '[2001:db8:1::8]:99'],
      'an IPv4 address in any spelling': [
        '192.0.2.1',
        '::ffff:192.0.2.1',
        '::ffff:c000:201',
        '192.0.2.1:1024',
      ],
      'a string that is not an address': ['frob', '_hidden', '999.1.1.1', 'a'.repeat(5000)],
    }
    for (const [name, [first, second, third, fourth]] of Object.entries(SAME)) {
      test(`${name} counts as one`, async () => {
        assert.deepEqual(
          [await passes(service, first), await passes(service, second), await passes(service, third)],
          [true, true, true],
        )
        assert.equal(await passes(service, fourth), false)
      })
    }

    test('a network can send four times as many, however many of its addresses do', async () => {
      for (const [of, elsewhere] of [
        [(i: number) => `203.0.113.${i}`, '203.0.114.1'],
        [(i: number) => `2001:db8:7:${i.toString(16)}::1`, '2001:db8:8::1'],
      ] as const) {
        for (let i = 0; i < 12; i++) assert.ok(await passes(service, of(i)), of(i))
        assert.equal(await passes(service, of(12)), false)
        assert.ok(await passes(service, elsewhere))
      }
    })

    test('in a chain, counts the last address that is not a trusted proxy, whatever a client puts before it', async () => {
      const address = someone()
      const chain = (i: number) => `203.0.${i}.9, 127.0.0.1, ${address}, 10.1.2.3,2001:db8:ffff::7`
      for (let i = 0; i < 3; i++) assert.ok(await passes(service, chain(i)))
      assert.equal(await passes(service, chain(3)), false)
      assert.equal(await passes(service, address), false)
    })

    test('answers a malformed header like any other', async () => {
      for (const value of [
        ',',
        ', ,',
        '::::',
        'for=192.0.2.1',
        '"',
        '1.2.3.4.5',
        '%00',
        ','.repeat(30_000),
      ]) {
        const { status } = await send(service, 'POST', '/api/v2/tokens', value)
        assert.ok(status === 200 || status === 429, `${value.slice(0, 20)}: ${status}`)
      }
    })
  })

  suite('without trusted proxies', () => {
    const service = testService(fresh, LIMITS)

    test('ignores X-Forwarded-For and counts the connection', async () => {
      for (let i = 0; i < 3; i++) assert.ok(await passes(service, `192.0.2.${i}`))
      assert.equal(await passes(service, '192.0.2.9'), false)
      assert.equal(await passes(service, '127.0.0.1, 10.0.0.1'), false)
    })
  })

  suite('by default', () => {
    // The defaults of an operator who sets nothing: the support of these tests switches the limits off.
    const service = testService(fresh, { RATAFIA_RATE_LIMITS: '' })
    const all = async (count: number, method: string, path: string) => {
      const statuses = await Promise.all(
        Array.from({ length: 50 }, async (_, lane) => {
          const seen: number[] = []
          for (let i = lane; i < count; i += 50) {
            const response = await send(service, method, path)
            await response.text()
            seen.push(response.status)
          }
          return seen
        }),
      )
      return new Set(statuses.flat())
    }

    test('does not delay a factory that registers 1,000 devices behind one address', async () => {
      assert.deepEqual(await all(1_000, 'POST', '/api/v1/snaps/auth/request-id'), new Set([200]))
      assert.deepEqual(await all(1_000, 'POST', '/api/v1/snaps/auth/devices'), new Set([400]))
      assert.deepEqual(await all(1_000, 'POST', '/api/v1/snaps/auth/nonces'), new Set([200]))
    })

    test('does not delay 500 runners that log in at once behind one address', async () => {
      assert.deepEqual(await all(500, 'POST', '/api/v2/tokens'), new Set([200]))
      // A discharge of the login, the agent's login, and the discharge that proves its key.
      assert.deepEqual(await all(1_500, 'POST', '/identity/discharge'), new Set([400]))
    })
  })
})

suite('the workers of a machine', () => {
  const program = testProgram()

  test('count together', async () => {
    const service = await program.start({ RATAFIA_WORKERS: '2', RATAFIA_RATE_LIMITS: 'nonces=20/1h' })
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => {
        // A connection for each request, so that both workers get some.
        const response = await fetch(`${service.baseUrl}/api/v1/snaps/auth/nonces`, {
          method: 'POST',
          headers: { connection: 'close' },
        })
        await response.text()
        return response.status
      }),
    )
    assert.deepEqual(
      [statuses.filter((s) => s === 200).length, statuses.filter((s) => s === 503).length],
      [20, 40],
    )
    const { stderr } = await service.end('SIGTERM')
    const lines = stderr.split('\n').filter((line) => line.includes('"msg":"too many requests"'))
    // The first refusal of each worker, and none for the others.
    assert.ok(lines.length >= 1 && lines.length <= 2, stderr)
    assert.match(lines[0] ?? '', /"limit":"nonces","refused":1,"address":"127\.0\.0\.1"/)
    assert.equal(stderr.match(/"status":503,"refusal":"too-many-requests"/g)?.length, 40)
    assert.doesNotMatch(stderr, /could not check/)
  })
})
