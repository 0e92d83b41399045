/** Tests HTTP below the operations: invalid HTTP, paths, methods, sizes, bodies, and what the log keeps of them. */
import assert from 'node:assert/strict'
import { before, describe, suite, test } from 'node:test'
import { API_VERSION } from '@ratafia/api'
import { ErrorBodySchema, OPERATIONS, ServiceDescriptionSchema } from '@ratafia/api/schemas'
import { Check } from 'typebox/value'
import { type RunningProgram, testProgram } from '../support/program.ts'
import { type RawAnswer, sendRaw } from '../support/raw-http.ts'

/** Returns the only answer, which must be a refusal in the form of all refusals. */
async function refusal(request: string | Uint8Array) {
  const answers = await raw(request)
  assert.equal(answers.length, 1, JSON.stringify(answers))
  const [answer] = answers
  assert.ok(answer)
  const { status, headers, closed } = answer
  const body: unknown = JSON.parse(answer.body)
  assert.ok(Check(ErrorBodySchema, body), answer.body)
  assert.deepEqual(body['error-list'], body.error_list)
  assert.equal(headers.get('content-type'), 'application/json')
  assert.equal(headers.get('snap-store-version'), String(API_VERSION))
  const [item] = body.error_list
  assert.match(String(item?.message), /^\S.*[^.]\.$/)
  return { status, code: item?.code, message: String(item?.message), headers, closed }
}

const HOST = 'Host: x\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'
const request = (line: string, headers = '', body = '') => `${line} HTTP/1.1\r\n${HOST}${headers}\r\n${body}`
const post = (body: string, headers = JSON_TYPE) =>
  request('POST /api/v2/tokens', `${headers}Content-Length: ${Buffer.byteLength(body)}\r\n`, body)

let service: RunningProgram

const raw = (bytes: string | Uint8Array, count?: number): Promise<RawAnswer[]> =>
  sendRaw(service.baseUrl, bytes, count)

suite('HTTP', () => {
  const program = testProgram()
  before(async () => {
    service = await program.start({ RATAFIA_LOG_LEVEL: 'trace' })
  })

  describe('GET and HEAD /', () => {
    test('describes the service and its endpoints, with a 200', async () => {
      const response = await fetch(service.baseUrl)
      const body: unknown = await response.json()
      assert.ok(Check(ServiceDescriptionSchema, body), JSON.stringify(body))
      assert.deepEqual(
        body.endpoints.map(({ method, path }) => `${method} ${path}`),
        Object.values(OPERATIONS).map(({ method, path }) => `${method} ${path}`),
      )
      assert.equal(body.links['self'], service.baseUrl)
      assert.equal(body.links['identity'], `${service.baseUrl}/identity`)
      assert.equal(response.headers.get('content-type'), 'application/json')
      assert.equal(response.headers.get('snap-store-version'), '32')
    })

    test('HEAD has the same headers and no body', async () => {
      const [get, head] = [await fetch(service.baseUrl), await fetch(service.baseUrl, { method: 'HEAD' })]
      assert.equal(head.status, 200)
      assert.equal(await head.text(), '')
      for (const name of ['content-type', 'content-length', 'snap-store-version']) {
        assert.equal(head.headers.get(name), get.headers.get(name), name)
      }
    })
  })

  describe('answers invalid or oversized HTTP, and closes the connection', () => {
    const cases: Readonly<Record<string, readonly [string | Uint8Array, status: number, code: string]>> = {
      'a garbage request line': ['\0\x01garbage\r\n\r\n', 400, 'invalid-request'],
      'a TLS greeting': [Buffer.from('160301020001000001fc0303', 'hex'), 400, 'invalid-request'],
      'HTTP/2 without TLS': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'invalid-request'],
      'an unknown method': [request('FROB /'), 405, 'method-not-allowed'],
      'a method in lower case': [request('get /'), 405, 'method-not-allowed'],
      'a method without HTTP': ['FROB / HTML/1.1\r\n\r\n', 400, 'invalid-request'],
      CONNECT: ['CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n', 405, 'method-not-allowed'],
      'two Host headers': [request('GET /', 'HOST: y\r\n'), 400, 'invalid-request'],
      'no Host header': ['GET / HTTP/1.1\r\n\r\n', 400, 'invalid-request'],
      'a header with a space in its name': [request('GET /', 'A b: c\r\n'), 400, 'invalid-request'],
      'lines that end with a bare LF': ['GET / HTTP/1.1\nHost: x\n\n', 400, 'invalid-request'],
      'a length that is not a number': [
        request('POST /api/v2/tokens', 'Content-Length: x\r\n'),
        400,
        'invalid-request',
      ],
      'two lengths': [
        request('POST /api/v2/tokens', 'Content-Length: 2\r\nContent-Length: 3\r\n', '{}'),
        400,
        'invalid-request',
      ],
      'a length and chunks': [
        request('POST /api/v2/tokens', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
        400,
        'invalid-request',
      ],
      'headers over 64 KiB': [request('GET /', `A: ${'a'.repeat(66_000)}\r\n`), 431, 'headers-too-large'],
      'more than 1,000 headers': [request('GET /', 'A: b\r\n'.repeat(1_000)), 431, 'headers-too-large'],
      'a path over 64 KiB': [request(`GET /${'a'.repeat(66_000)}`), 431, 'headers-too-large'],
      'a body over 64 KiB': [post(' '.repeat(65_537)), 413, 'request-too-large'],
      'a body announced over 64 KiB': [
        request('POST /api/v2/tokens', `${JSON_TYPE}Content-Length: 9999999999\r\n`),
        413,
        'request-too-large',
      ],
      'chunks over 64 KiB': [
        request(
          'POST /api/v2/tokens',
          `${JSON_TYPE}Transfer-Encoding: chunked\r\n`,
          `4000\r\n${' '.repeat(0x4000)}\r\n`.repeat(5),
        ),
        413,
        'request-too-large',
      ],
      'chunk extensions over 16 KiB': [
        request(
          'POST /api/v2/tokens',
          `${JSON_TYPE}Transfer-Encoding: chunked\r\n`,
          `1;${'a'.repeat(20_000)}\r\n`,
        ),
        413,
        'request-too-large',
      ],
    }
    for (const [name, [bytes, status, code]] of Object.entries(cases)) {
      test(name, async () => {
        const answer = await refusal(bytes)
        assert.deepEqual([answer.status, answer.code, answer.closed], [status, code, true])
        assert.equal(
          answer.headers.get('allow'),
          status === 405 ? 'GET, HEAD, POST, PATCH, PUT, DELETE' : undefined,
        )
      })
    }
  })

  describe('paths and methods', () => {
    const NOTHING = 'There is nothing at this path. GET / lists what there is.'
    for (const path of [
      '/nope',
      '/api',
      '/api/v2/tokens/',
      '/api/v2/tokens;x',
      '/API/v2/tokens',
      `/${'a'.repeat(10_000)}`,
    ]) {
      test(`answers 404 to GET ${path.slice(0, 30)}`, async () => {
        const { status, code, message, closed } = await refusal(request(`GET ${path}`))
        assert.deepEqual([status, code, message, closed], [404, 'not-found', NOTHING, false])
      })
    }
    for (const body of ['{{{', ' '.repeat(1000)]) {
      for (const type of ['application/json', 'text/xml', 'application/x-www-form-urlencoded']) {
        test(`answers 404 regardless of the body: ${body.length} bytes of ${type}`, async () => {
          const headers = `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`
          assert.equal((await refusal(request('POST /nope', headers, body))).code, 'not-found')
        })
      }
    }

    test('answers 404 to any method, without a Content-Type and with an invalid one', async () => {
      for (const method of ['QUERY', 'POST', 'DELETE']) {
        assert.equal((await refusal(request(`${method} /nope`))).code, 'not-found', method)
        assert.equal(
          (await refusal(request(`${method} /nope`, 'Content-Type: x\r\n'))).code,
          'not-found',
          method,
        )
      }
    })

    const allowed: Readonly<Record<string, string>> = {
      '/': 'GET, HEAD',
      '/api/v2/tokens': 'GET, HEAD, POST',
      '/api/v2/tokens?x=y': 'GET, HEAD, POST',
      '/api/v2/tokens/exchange': 'POST',
      '/api/v2/tokens/revoke': 'POST',
      '/api/v2/tokens/whoami': 'GET, HEAD',
    }
    for (const [path, methods] of Object.entries(allowed)) {
      test(`answers 405 to other methods: ${path} supports only ${methods}`, async () => {
        for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
          const { status, code, message, headers, closed } = await refusal(request(`${method} ${path}`))
          assert.deepEqual([status, code, closed], [405, 'method-not-allowed', false])
          assert.equal(headers.get('allow'), methods)
          assert.equal(message, `This path does not support ${method}. It supports ${methods}.`)
        }
        if (!methods.includes('GET')) assert.equal((await refusal(request(`GET ${path}`))).status, 405)
        else if (!methods.includes('POST'))
          assert.equal((await refusal(request(`POST ${path}`, 'Content-Length: 0\r\n'))).status, 405)
      })
    }

    test('answers 400 to a path that is not percent-encoded UTF-8, and does not repeat it', async () => {
      for (const path of ['/%zz?token=secret', '/api/%ff', '/%']) {
        const { status, code, message } = await refusal(request(`GET ${path}`))
        assert.deepEqual(
          [status, code, message],
          [400, 'invalid-request', 'The path is not percent-encoded UTF-8.'],
        )
      }
    })

    test('accepts absolute URLs, other expectations and HTTP/1.0', async () => {
      for (const bytes of [
        request('GET http://x/'),
        request('GET /', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'),
        post('{}', `${JSON_TYPE}Expect: 100-continue\r\n`),
        post('{}', `${JSON_TYPE}Expect: something\r\n`),
        'GET / HTTP/1.0\r\n\r\n',
      ]) {
        const [answer] = await raw(bytes)
        assert.equal(answer?.status, 200, bytes)
        assert.equal(answer?.headers.get('snap-store-version'), '32')
      }
    })

    test('answers pipelined requests in order', async () => {
      const answers = await raw(request('GET /nope') + request('GET /') + post('{') + request('GET /'), 4)
      assert.deepEqual(
        answers.map(({ status }) => status),
        [404, 200, 400, 200],
      )
    })
  })

  describe('answers a valid request and then invalid HTTP, in order', () => {
    const rests: Readonly<Record<string, string>> = {
      garbage: '\0garbage\r\n\r\n',
      CONNECT: request('CONNECT x:443'),
      'an unknown method': request('FROB /'),
      'an invalid body': request('POST /api/v2/tokens', 'Transfer-Encoding: chunked\r\n', 'x\r\n'),
    }
    for (const [name, rest] of Object.entries(rests)) {
      test(name, async () => {
        const answers = await raw(request('GET /identity/discharge/info') + post('{}') + rest, 3)
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200, /CONNECT|method/.test(name) ? 405 : 400],
        )
        assert.equal(answers[2]?.closed, true)
      })
    }
  })

  describe('bodies', () => {
    const NOT_JSON = 'The body is not JSON. Send a JSON object, or no body at all.'
    const refused: Readonly<Record<string, readonly [string | Uint8Array, RegExp]>> = {
      'not JSON': [post('{"a":'), new RegExp(NOT_JSON)],
      'not UTF-8': [
        Buffer.concat([
          Buffer.from(request('POST /api/v2/tokens', 'Content-Length: 9\r\n')),
          Buffer.from('7b2261223a22ff227d', 'hex'),
        ]),
        new RegExp(NOT_JSON),
      ],
      '60 KiB of brackets': [post('['.repeat(60_000)), new RegExp(NOT_JSON)],
      'closed brackets': [post('['.repeat(30_000) + ']'.repeat(30_000)), /nested more than 32 levels deep/],
      'deep packages that are all alike': [
        post(
          `{"packages":[${Array(2).fill(`{"name":"a","x":${'['.repeat(15_000)}${']'.repeat(15_000)}}`)}]}`,
        ),
        /nested more than 32 levels deep/,
      ],
      __proto__: [post('{"__proto__":{"a":1}}'), /^The body has a field named "__proto__", or /],
      '__proto__ in a package': [
        post('{"packages":[{"name":"a","__proto__":1}]}'),
        /field named "__proto__"/,
      ],
      'constructor.prototype': [
        post('{"constructor":{"prototype":{"a":1}}}'),
        /"constructor" with a "prototype"/,
      ],
      'a number': [post('1'), /^The body must be an object\.$/],
      null: [post('null'), /^The body must be an object\.$/],
      'an unknown field': [post('{"frob":1}'), /^The body has an unknown field: "frob"\.$/],
      'an unknown field with a long name': [
        post(`{"${'x\\u001b'.repeat(1000)}":1}`),
        /^The body has an unknown field: "[^\p{Cc}]{10,400}…"\.$/u,
      ],
      'too many items': [
        post(`{"channels":[${Array(257).fill('"a"')}]}`),
        /^The field "channels" has more than 256 items\.$/,
      ],
    }
    for (const [name, [bytes, message]] of Object.entries(refused)) {
      test(`answers 400 to ${name}`, async () => {
        const answer = await refusal(bytes)
        assert.equal(answer.status, 400)
        assert.match(answer.message, message)
        // The body was read to its end, so the connection stays open.
        assert.equal(answer.closed, false)
      })
    }

    test('reads the body as JSON regardless of its content type; an absent body is an empty object', async () => {
      for (const bytes of [
        post('{}', ''),
        post('{}', 'Content-Type: text/plain\r\n'),
        post('{}', 'Content-Type: application/x-www-form-urlencoded\r\n'),
        post('', JSON_TYPE),
        post('', ''),
        request('POST /api/v2/tokens', 'Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'),
      ]) {
        const [answer] = await raw(bytes)
        assert.equal(answer?.status, 200, bytes)
      }
    })

    test('answers 401, not 400, to a GET with a JSON content type and no body', async () => {
      const { status, code } = await refusal(request('GET /api/v2/tokens/whoami', JSON_TYPE))
      assert.deepEqual([status, code], [401, 'macaroon-authorization-required'])
    })
  })

  test('the log has no secret of a request, at any level', async () => {
    const secret = 'c2VjcmV0LXZhbHVl'
    const send = (path: string, init: RequestInit) =>
      fetch(`${service.baseUrl}${path}`, init).then((r) => r.text())
    const form = new URLSearchParams({
      id64: secret,
      'token-kind': 'login',
      token64: secret,
      password: secret,
      username: secret,
    })
    await send(`/identity/discharge?id64=${secret}&token-kind=login&token64=${secret}`, { method: 'POST' })
    await send('/identity/discharge', { method: 'POST', body: form })
    await send(`/identity/login?did=${secret}`, {})
    await send(`/identity/login?did=${secret}`, {
      method: 'POST',
      body: form,
      headers: { cookie: `ratafia-sign-in=${secret}` },
    })
    await send(`/identity/wait-token?did=${secret}`, {})
    await send(`/identity/login/agent?did=${secret}&username=x&public-key=${secret}`, {})
    await send(`/nope?token=${secret}`, { headers: { referer: `http://x/?${secret}` } })
    await send(`/%zz?token=${secret}`, {})
    for (const headers of [
      { authorization: `Macaroon ${secret}` },
      { macaroons: secret },
      { authorization: `Basic ${secret}` },
    ]) {
      await send('/api/v2/tokens/whoami', { headers })
      await send('/api/v2/tokens/exchange', { headers, method: 'POST' })
    }
    await send('/api/v2/tokens', { method: 'POST', body: `{"description":"${secret}"}` })
    await send('/api/v2/tokens', { method: 'POST', body: `{"${secret}":` })
    await raw(request('GET /', `A b: ${secret}\r\n`))
    await new Promise((resolve) => setTimeout(resolve, 300))
    const log = service.stderr()
    assert.match(log, /"route":"\/identity\/discharge"/)
    for (const text of [secret, 'secret-value']) {
      const at = log.indexOf(text)
      assert.ok(at < 0, log.slice(Math.max(0, at - 300), at + 100))
    }
  })

  test('none of this was an internal error, and the service stops cleanly', async () => {
    const { code, stderr } = await service.end('SIGTERM')
    assert.equal(code, 0)
    assert.doesNotMatch(stderr, /"level":[56]0/)
  })
})
