/** Tests the log line of a request: its contents, and that it never has a secret of a client. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { plainPath } from '../../src/telemetry/access-log.ts'
import { oneDatabase } from '../support/databases.ts'
import { type ObservedService, observedServices } from '../support/observed.ts'
import { sendRaw } from '../support/raw-http.ts'
import { addPerson, bearing, dischargeFor, getRoot, logIn, presenting } from '../support/service.ts'

interface Line {
  readonly level: number
  readonly msg: string
  readonly reqId: string
  readonly [name: string]: unknown
}

const INFO = 30
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const linesOf = (stderr: string): readonly Line[] =>
  stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
const requestsOf = (stderr: string) => linesOf(stderr).filter(({ msg }) => msg === 'request')

oneDatabase((_kind, _open, fresh) => {
  const observed = observedServices(fresh)
  const serve = (environment: Readonly<Record<string, string>> = {}) =>
    observed({ RATAFIA_BASE_URL: 'http://ratafia.example', ...environment })
  /** Returns all lines after the service has stopped, so that none is missing. */
  const logOf = async (running: ObservedService) => {
    await running.close()
    return running.log()
  }

  test('logs a request as one line: method, route, status, refusal, time, bytes, address, id', async () => {
    const running = await serve()
    const answer = await fetch(`${running.baseUrl}/v2/assertions/account/unknown?max-format=1`)
    const bytes = (await answer.arrayBuffer()).byteLength
    await fetch(`${running.baseUrl}/`, { method: 'HEAD' })
    const [refused, described, ...more] = requestsOf(await logOf(running))
    const { level, time, pid, hostname, msg, reqId, ms, ...line } = refused ?? assert.fail()
    assert.equal(level, INFO)
    assert.match(reqId, UUID)
    assert.ok(typeof ms === 'number' && ms > 0)
    assert.ok(time && pid && hostname && msg)
    assert.deepEqual(line, {
      method: 'GET',
      route: '/v2/assertions/:type/*',
      status: 404,
      refusal: 'assertion-not-found',
      bytes,
      address: '127.0.0.1',
    })
    const { method, route, status, bytes: none, refusal } = described ?? assert.fail()
    assert.deepEqual([method, route, status, none, refusal], ['HEAD', '/', 200, 0, undefined])
    assert.deepEqual(more, [])
  })

  test('does not log secrets that a client sends, wherever the client puts them, at any level', async () => {
    const running = await serve({ RATAFIA_LOG_LEVEL: 'trace', RATAFIA_TRUSTED_PROXIES: '127.0.0.1' })
    const person = await addPerson(running)
    const root = await getRoot(running)
    const slice = await dischargeFor(running, root, person)
    const token = await logIn(running, person)
    const { macaroons = '' } = presenting(slice)
    const canary = 'Canary0Canary1Canary2Canary3'
    const at = async (path: string, init: RequestInit = {}) => {
      await (await fetch(`${running.baseUrl}${path}`, { redirect: 'manual', ...init })).text()
    }
    const secretHeaders = [
      bearing(token),
      { macaroons },
      { authorization: `Basic ${canary}` },
      { authorization: canary },
      { 'x-device-authorization': `Macaroon root="${canary}"` },
      { 'snap-device-authorization': `Macaroon root="${canary}"` },
      { 'api-key': canary },
      { cookie: `ratafia-sign-in=${canary}` },
      { 'x-request-id': `${canary} ${canary}` },
      { 'x-forwarded-for': canary },
      { 'user-agent': canary, referer: `http://x.example/?did=${canary}`, traceparent: canary },
    ]
    for (const headers of secretHeaders) {
      for (const path of ['/api/v2/tokens/whoami', '/device-session', '/', '/nothing'])
        await at(path, { headers })
      for (const path of ['/api/v2/tokens/exchange', '/api/v1/snaps/auth/devices']) {
        await at(path, { headers, method: 'POST', body: canary })
      }
    }
    for (const path of ['discharge', 'login', 'wait-token', 'login/agent', 'confirm', 'logout', canary]) {
      for (const method of ['GET', 'POST', 'PUT']) {
        await at(`/identity/${path}?did=${canary}&token64=${token}&id64=${canary}`, { method })
      }
    }
    for (const secret of [
      token,
      macaroons,
      canary,
      `${canary}/${canary}`,
      encodeURIComponent(`%${canary}`),
    ]) {
      for (const path of [
        '/',
        '/api/v2/tokens/',
        '/api/v1/snaps/auth/sessions/',
        '/identity/',
        '/v2/assertions/',
      ]) {
        await at(`${path}${secret}`)
      }
      await sendRaw(running.baseUrl, `GET /%zz${secret} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      await sendRaw(running.baseUrl, `${secret}\r\n\r\n`)
    }
    await at('/api/v2/tokens', { method: 'POST', body: `{"description": ["${canary}"]}` })
    await at('/identity/login', {
      method: 'POST',
      body: new URLSearchParams({ password: canary, did: canary }),
    })
    const log = await logOf(running)
    assert.ok(requestsOf(log).length > 80)
    // Part of a token can reveal it, so this looks for pieces of 12 characters.
    const secrets = [token, macaroons, canary, root]
    for (const secret of secrets) {
      for (let start = 0; start + 12 <= secret.length; start += 6) {
        const piece = secret.slice(start, start + 12)
        // Without capitals it may be a word, such as part of our own address.
        if (/^[A-Za-z0-9_+/=-]*[A-Z][A-Za-z0-9_+/=-]*$/.test(piece)) {
          assert.ok(
            !log.includes(piece),
            `the log has ${piece} in ${log.split('\n').find((one) => one.includes(piece))}`,
          )
        }
      }
    }
  })

  test('logs how the path of a request without a route begins, as far as it is plain words', async () => {
    const running = await serve()
    await fetch(`${running.baseUrl}/store/api/v2/tokens?x=y`)
    await fetch(`${running.baseUrl}/wp-login.php`)
    await fetch(`${running.baseUrl}/api/v2/tokens/AgEOc2VjcmV0`)
    const paths = requestsOf(await logOf(running)).map(({ route, path }) => [route, path])
    assert.deepEqual(paths, [
      [null, '/store/api/v2/tokens'],
      [null, '/wp-login.php'],
      [null, '/api/v2/tokens/…'],
    ])
  })

  test('does not log health checks; with RATAFIA_ACCESS_LOG=off logs requests only at the level debug', async () => {
    for (const [environment, expected] of [
      [{}, ['/']],
      [{ RATAFIA_ACCESS_LOG: 'off' }, []],
      [{ RATAFIA_ACCESS_LOG: 'off', RATAFIA_LOG_LEVEL: 'debug' }, ['/']],
    ] as const) {
      const running = await serve(environment)
      for (const path of ['/health/live', '/health/ready', '/']) await fetch(`${running.baseUrl}${path}`)
      assert.deepEqual(
        requestsOf(await logOf(running)).map(({ route }) => route),
        expected,
      )
    }
  })

  test('logs a client that leaves before its answer with 499', async () => {
    const running = await serve()
    const gone = new AbortController()
    const body = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) })
    const request = fetch(`${running.baseUrl}/api/v2/tokens`, {
      ...{ method: 'POST', body, duplex: 'half', signal: gone.signal },
    }).catch(() => {})
    // Answers to later requests arrive only after the first request was handled.
    for (let others = 0; others < 3; others++) await fetch(`${running.baseUrl}/api/v2/tokens/whoami`)
    await sleep(300)
    gone.abort()
    await request
    const line = requestsOf(await logOf(running)).find(({ route }) => route === '/api/v2/tokens')
    assert.deepEqual([line?.['route'], line?.['status']], ['/api/v2/tokens', 499])
  })

  test('logs the address and request id from a trusted proxy, but not from other clients', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-request-id': 'from-the-proxy.1' }
    const trusting = await serve({ RATAFIA_TRUSTED_PROXIES: '127.0.0.0/8' })
    await fetch(trusting.baseUrl, { headers })
    await fetch(trusting.baseUrl, { headers: { 'x-request-id': 'x y', 'x-forwarded-for': 'x\u009b31m y' } })
    const [line, odd] = requestsOf(await logOf(trusting))
    assert.deepEqual([line?.['address'], line?.reqId], ['203.0.113.7', 'from-the-proxy.1'])
    assert.match(odd?.reqId ?? '', UUID)
    assert.equal(odd?.['address'], 'unknown', 'it is not an address')

    const alone = await serve({ RATAFIA_TRUSTED_PROXIES: '192.0.2.1, ::1' })
    await fetch(alone.baseUrl, { headers })
    const [own] = requestsOf(await logOf(alone))
    assert.equal(own?.['address'], '127.0.0.1')
    assert.match(own?.reqId ?? '', UUID)
  })
})

for (const [url, expected] of [
  ['/', '/'],
  ['/a/b?token=x', '/a/b'],
  ['/a/b#x', '/a/b'],
  ['/a//b', '/a//b'],
  ['/api/v2/tokens/AgEO', '/api/v2/tokens/…'],
  ['/AgEO/api', '/…'],
  ['/a/b/c/d', '/a/b/c/d'],
  ['/a/b/c/d/e', '/a/b/c/d/…'],
  [`/${'a'.repeat(24)}`, `/${'a'.repeat(24)}`],
  [`/${'a'.repeat(25)}`, '/…'],
  ['/a%20b', '/…'],
  ['/a/\u001b[31m', '/a/…'],
  ['*', '…'],
  ['http://user:word@host/a', '…'],
] as const) {
  test(`logs the path ${JSON.stringify(url)} as ${expected}`, () => {
    assert.equal(plainPath(url), expected)
  })
}
