/** Registrations that snapd sends through a store proxy, for another device service. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { forward } from '../../src/devices/registration/forwarding/forward.ts'
import { Unavailable } from '../../src/errors.ts'
import { brandDeps } from '../support/brands.ts'
import { oneDatabase } from '../support/databases.ts'
import { AUTH, postDevices, register, withAcme } from '../support/devices.ts'
import { eventually } from '../support/eventually.ts'
import { sendRaw } from '../support/raw-http.ts'
import { type Answer, call, refusalOf, testService } from '../support/service.ts'
import { testUpstream } from '../support/upstream.ts'

const SERVICE_URL = 'x-snap-device-service-url'
const STREAM = 'type: serial-request\n…whatever the other service takes…\n'

oneDatabase((_kind, open, fresh) => {
  const upstream = testUpstream()
  const closed = testUpstream('/closed/')
  const service = testService(fresh, {
    // Its port is known only when the service starts.
    get RATAFIA_DEVICE_SERVICE_URLS() {
      return `${upstream.url},http://127.0.0.1:9/v1`
    },
    RATAFIA_DEVICE_SERVICE_HEADERS: 'X-Gadget-Own',
    RATAFIA_TRUSTED_PROXIES: '127.0.0.1',
  })
  const json = (status: number, body: unknown, type = 'application/json') =>
    upstream.answerWith((response) =>
      response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body)),
    )
  const requestId = (headers: Record<string, string>) =>
    call(service, 'POST', `${AUTH}/request-id`, { headers })
  const through = (headers: Record<string, string> = {}): Record<string, string> => ({
    [SERVICE_URL]: upstream.url,
    ...headers,
  })

  test('forwards a request-id request to the other service, and returns its answer', async () => {
    json(200, { 'request-id': 'REQUEST-ID', success: true }, 'application/json; charset=UTF-8')
    const { status, headers, body } = await requestId(
      through({ 'api-key': 'KEY', 'user-agent': 'snapd/2.70' }),
    )
    assert.deepEqual([status, body], [200, { 'request-id': 'REQUEST-ID', success: true }])
    // With the charset, snapd would not show the message of a refusal.
    assert.equal(headers.get('content-type'), 'application/json')
    assert.equal(headers.get('snap-store-version'), '32')
    const [seen, ...more] = upstream.seen
    assert.deepEqual([seen?.method, seen?.url, seen?.body.length, more], ['POST', '/v1/request-id', 0, []])
    assert.equal(seen?.headers['api-key'], 'KEY')
    assert.equal(seen?.headers['user-agent'], 'snapd/2.70')
  })

  test('forwards a registration to /serial, with its exact body and the headers of gadget and snapd', async () => {
    const answer = Buffer.from('type: serial\n\nAcLB…\n')
    upstream.answerWith((response) =>
      response.writeHead(200, { 'content-type': 'application/x.ubuntu.assertion' }).end(answer),
    )
    const body = Buffer.from([...Buffer.from(STREAM), 0, 0xff, 0x0d, 0x0a])
    const response = await fetch(`${service.baseUrl}${AUTH}/devices`, {
      method: 'POST',
      headers: through({
        'content-type': 'application/x.ubuntu.assertion',
        'snap-device-capabilities': 'serial-stream',
        'api-key': 'KEY',
        'x-gadget-own': 'ä\tb',
      }),
      body,
    })
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), answer)
    assert.equal(response.headers.get('content-type'), 'application/x.ubuntu.assertion')
    const [seen] = upstream.seen
    assert.deepEqual([seen?.method, seen?.url], ['POST', '/v1/serial'])
    assert.deepEqual(seen?.body, body)
    assert.equal(seen?.headers['content-type'], 'application/x.ubuntu.assertion')
    assert.equal(seen?.headers['snap-device-capabilities'], 'serial-stream')
    assert.equal(seen?.headers['x-gadget-own'], 'ä\tb')
  })

  // Guarantee: the other service gets nothing that a client sends only to this one, such as its credentials.
  test('forwards no other headers', async () => {
    json(200, { 'request-id': 'x' })
    const dropped = {
      authorization: 'Macaroon root=x',
      macaroons: 'e30',
      cookie: 'ratafia-sign-in=x',
      'x-device-authorization': 'Macaroon root=x',
      'snap-device-authorization': 'Macaroon root=x',
      connection: 'keep-alive, X-Gadget-Own',
      'keep-alive': 'timeout=5',
      'x-gadget-own': 'for this connection',
      'x-other': '1',
      te: 'trailers',
      trailer: 'x',
      upgrade: 'h2c',
      expect: '100-continue',
      'proxy-authorization': 'Basic eA==',
      'accept-encoding': 'gzip',
      forwarded: 'for=192.0.2.1',
      via: '1.1 proxy',
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-host': 'evil.example',
      'x-real-ip': '192.0.2.1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    }
    const lines = Object.entries({ host: 'store.example.com', ...through({ 'api-key': 'KEY' }), ...dropped })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    const [answer] = await sendRaw(
      service.baseUrl,
      `POST ${AUTH}/request-id HTTP/1.1\r\n${lines}content-length: 0\r\n\r\n`,
    )
    assert.equal(answer?.status, 200)
    const headers = upstream.seen[0]?.headers ?? assert.fail('nothing was asked')
    assert.equal(headers['api-key'], 'KEY')
    assert.equal(headers.host, new URL(upstream.url).host)
    assert.equal(headers['accept-encoding'], 'identity')
    for (const name of [...Object.keys(dropped), SERVICE_URL]) {
      if (['connection', 'accept-encoding'].includes(name)) continue
      assert.equal(headers[name], undefined, name)
    }
    assert.doesNotMatch(headers.connection ?? '', /gadget/i)
  })

  test('a hanging service gets a few requests at a time, and the next gets 503 at once', async () => {
    upstream.answerWith(() => {})
    const gone = new AbortController()
    const from = (address: string) =>
      fetch(`${service.baseUrl}${AUTH}/request-id`, {
        method: 'POST',
        headers: through({ 'x-forwarded-for': address }),
        signal: gone.signal,
      }).catch(() => undefined)
    const hanging = Array.from({ length: 16 }, () => from('192.0.2.1'))
    await eventually('they wait', () => upstream.seen.length === 16)
    const refused = (await from('192.0.2.1')) ?? assert.fail('no answer')
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
    assert.match(await refused.text(), /Too many registrations are waiting for this device service/)
    // Another network still gets through, and requests for another service are not delayed.
    const other = from('198.51.100.1')
    await eventually('it is asked', () => upstream.seen.length === 17)
    assert.equal((await call(service, 'POST', `${AUTH}/request-id`)).status, 200)
    gone.abort()
    await Promise.all([...hanging, other])
    json(200, { 'request-id': 'x' })
    await eventually('there are places again', async () => (await requestId(through())).status === 200)
  })

  test('refuses a service that is not allowed with 400, before the body is sent', async () => {
    const [answer] = await sendRaw(
      service.baseUrl,
      `POST ${AUTH}/devices HTTP/1.1\r\nhost: x\r\n${SERVICE_URL}: http://evil.example/\r\ncontent-length: 4000000\r\n\r\n`,
    )
    assert.equal(answer?.status, 400)
  })

  for (const [status, body] of [
    [201, { 'request-id': 'x' }],
    [400, { success: false, message: 'no such model' }],
    [401, { error_list: [{ message: 'bad key' }] }],
    [404, {}],
    [422, { message: 'x' }],
  ] as const) {
    test(`passes on ${status} with its body`, async () => {
      json(status, body, 'Application/JSON;charset=utf-8')
      const answer = await requestId(through())
      assert.deepEqual([answer.status, answer.body], [status, body])
      assert.equal(answer.headers.get('content-type'), 'application/json')
    })
  }

  test('passes on 202 without a body, and a body without a type', async () => {
    upstream.answerWith((response) => response.writeHead(202).end())
    const { status } = await postDevices(service, STREAM, { headers: through() })
    assert.equal(status, 202)
    upstream.answerWith((response) => response.writeHead(200).end('x'))
    const untyped = await fetch(`${service.baseUrl}${AUTH}/devices`, {
      method: 'POST',
      headers: through(),
      body: STREAM,
    })
    assert.equal(await untyped.text(), 'x')
  })

  // snapd gives up at exactly 500 and at 429, and retries after 503 (contract/devices.md 1.4).
  const unusable: Readonly<Record<string, (response: import('node:http').ServerResponse) => void>> = {
    '500': (response) => response.writeHead(500).end('{}'),
    '502': (response) => response.writeHead(502).end('{}'),
    '503': (response) => response.writeHead(503).end('{}'),
    '429': (response) => response.writeHead(429).end('{}'),
    'a redirect': (response) => response.writeHead(307, { location: closed.url }).end(),
    'another redirect': (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    'a redirect within it': (response) => response.writeHead(308, { location: '/v1/other' }).end(),
    'an incomplete answer': (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half')
      setTimeout(() => response.destroy(), 20)
    },
    'no answer': (response) => response.destroy(),
    'no HTTP': (response) => response.socket?.end('garbage\r\n\r\n'),
    'more than 4 MiB': (response) => response.writeHead(200).end(Buffer.alloc(4 * 1024 * 1024 + 1)),
    'more than 4 MiB, never ending': (response) => {
      response.writeHead(200)
      const chunk = Buffer.alloc(256 * 1024)
      const timer = setInterval(() => response.write(chunk), 1)
      response.on('close', () => clearInterval(timer))
      response.on('error', () => {})
    },
    'invalid compressed data': (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip'),
  }
  for (const [what, answer] of Object.entries(unusable)) {
    test(`answers 503 if the other service answers with ${what}`, async () => {
      upstream.answerWith(answer)
      const refused = refusalOf(await requestId(through()))
      assert.deepEqual([refused.status, refused.code], [503, 'service-unavailable'])
      assert.equal(upstream.seen.length, 1)
      assert.equal(closed.seen.length, 0)
    })
  }

  test('answers 503 if the other service cannot be reached', async () => {
    const { status } = refusalOf(await requestId({ [SERVICE_URL]: 'http://127.0.0.1:9/v1/' }))
    assert.equal(status, 503)
  })

  test('answers 400 for any other address at both paths, and sends nothing there or to the allowed services', async () => {
    upstream.answerWith((response) => response.end())
    const { host, port } = new URL(upstream.url)
    for (const header of [
      closed.url,
      upstream.url.replace('/v1/', '/'),
      upstream.url.replace('/v1/', '/v1/../'),
      upstream.url.replace('127.0.0.1', 'localhost'),
      upstream.url.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
      upstream.url.replace('http:', 'https:'),
      `http://${host}@${new URL(closed.url).host}/v1/`,
      `http://user@${host}/v1/`,
      `http://127.0.0.1:${Number(port) + 1}/v1/`,
      `${upstream.url}, ${upstream.url}`,
      `${upstream.url}?x=y`,
      'http://169.254.169.254/latest/meta-data/',
      'file:///etc/passwd',
      '',
    ]) {
      const answers: Answer[] = [
        await requestId({ [SERVICE_URL]: header }),
        await postDevices(service, STREAM, { headers: { [SERVICE_URL]: header } }),
      ]
      for (const answer of answers) {
        const { status, code } = refusalOf(answer)
        assert.deepEqual([status, code], [400, 'device-service-not-allowed'], header)
      }
    }
    const twice = `${SERVICE_URL}: ${upstream.url}\r\n`.repeat(2)
    const [answer] = await sendRaw(
      service.baseUrl,
      `POST ${AUTH}/request-id HTTP/1.1\r\nhost: x\r\n${twice}content-length: 0\r\n\r\n`,
    )
    assert.equal(answer?.status, 400)
    assert.deepEqual([upstream.seen, closed.seen], [[], []])
  })

  test('handles our own address here, with a whole registration through the header', async () => {
    await withAcme(brandDeps(await open()))
    upstream.answerWith((response) => response.end())
    for (const path of ['/v1/', '/v1', '/', '']) {
      const headers = { [SERVICE_URL]: `${service.baseUrl}${path}` }
      const { status, body } = await requestId(headers)
      assert.equal(status, 200)
      const registration = await register(service, { requestId: body['request-id'], requestHeaders: headers })
      assert.equal(registration.status, 200, JSON.stringify(registration.body))
    }
    assert.deepEqual(upstream.seen, [])
  })

  test("ignores the header at the gadget's own path", async () => {
    upstream.answerWith((response) => response.end())
    for (const address of [upstream.url, 'http://evil.example/']) {
      const headers = { [SERVICE_URL]: address }
      assert.equal((await call(service, 'POST', '/v1/request-id', { headers })).status, 200)
      const refused = await postDevices(service, STREAM, { headers, path: '/v1/serial' })
      assert.equal(refusalOf(refused).code, 'invalid-assertion')
    }
    assert.deepEqual(upstream.seen, [])
  })
})

suite('forwarding', () => {
  const upstream = testUpstream()
  const request = () => ({ url: `${upstream.url}serial`, headers: {}, body: new Uint8Array() })

  test('abandons an answer that does not begin or finish in time, with 503', async () => {
    upstream.answerWith(() => {})
    await assert.rejects(forward(request(), { fetch, timeout: 50 }), Unavailable)
    upstream.answerWith((response) => response.writeHead(200).write('half'))
    await assert.rejects(forward(request(), { fetch, timeout: 50 }), Unavailable)
  })

  test('accepts an answer of 4 MiB', async () => {
    upstream.answerWith((response) => response.end(Buffer.alloc(4 * 1024 * 1024)))
    assert.equal((await forward(request(), { fetch })).body.length, 4 * 1024 * 1024)
  })

  test("does not fail because of a client's header", async () => {
    upstream.answerWith((response) => response.end('ok'))
    const headers = {
      'x-a': 'a\x7fb',
      'x-b': '\x01',
      'x-c': ['1', '2'],
      'x-d': undefined,
      'x-e': '',
      'x-f': 'é',
    }
    const forwardedHeaders = Object.keys(headers)
    assert.equal((await forward({ ...request(), headers }, { fetch, forwardedHeaders })).status, 200)
    assert.equal(upstream.seen[0]?.headers['x-c'], '1,2')
  })
})
