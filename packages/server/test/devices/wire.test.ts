/**
 * Properties that snapd relies on below the operations: headers, sizes, connections (contract/devices.md 1.0,
 * decisions 13, 16, 17).
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { before, describe, test } from 'node:test'
import { brandDeps, vector } from '../support/brands.ts'
import { oneDatabase } from '../support/databases.ts'
import {
  ACME,
  AUTH,
  acmeModel,
  deviceKey,
  freshDeviceKey,
  getRequestId,
  modelFile,
  openSession,
  postDevices,
  register,
  registered,
  serialRequest,
  streamOf,
  withAcme,
} from '../support/devices.ts'
import { type RawAnswer, sendRaw } from '../support/raw-http.ts'
import { call, refusalOf, testService } from '../support/service.ts'

const KIB = 1024
const MIB = 1024 * KIB
const ASSERTIONS = 'application/x.ubuntu.assertion'

oneDatabase((_kind, open, fresh) => {
  const service = testService(fresh)
  before(async () => withAcme(brandDeps(await open())))

  const raw = (bytes: string | Uint8Array, count?: number) => sendRaw(service.baseUrl, bytes, count)
  const head = (line: string, ...fields: string[]) =>
    `${[`${line} HTTP/1.1`, 'Host: x', ...fields].join('\r\n')}\r\n\r\n`
  const one = async (bytes: string | Uint8Array): Promise<RawAnswer> => {
    const [answer, ...more] = await raw(bytes)
    assert.deepEqual(more, [])
    return answer ?? assert.fail('no answer')
  }
  const codeOf = ({ body }: RawAnswer): string => JSON.parse(body).error_list[0].code

  describe('every answer, good or bad, has a version and exact type, and does not redirect', () => {
    const post = (path: string, body = '', ...fields: string[]) =>
      `${head(`POST ${path}`, `Content-Length: ${Buffer.byteLength(body)}`, ...fields)}${body}`
    const cases: Readonly<Record<string, readonly [request: string, status: number]>> = {
      nonces: [post(`${AUTH}/nonces`), 200],
      'nonces with a body and a type': [post(`${AUTH}/nonces`, '{"a":', 'Content-Type: text/xml'), 200],
      'nonces with invalid JSON': [post(`${AUTH}/nonces`, '{{{', 'Content-Type: application/json'), 200],
      'nonces with a form': [
        post(`${AUTH}/nonces`, 'a=b', 'Content-Type: application/x-www-form-urlencoded'),
        200,
      ],
      'request-id': [post(`${AUTH}/request-id`), 200],
      "request-id of a gadget's device service": [post('/v1/request-id'), 200],
      'devices with nothing': [post(`${AUTH}/devices`), 400],
      'devices with no assertion': [post(`${AUTH}/devices`, 'x', `Content-Type: ${ASSERTIONS}`), 400],
      'devices for an unknown service': [
        post(`${AUTH}/devices`, 'x', 'X-Snap-Device-Service-URL: http://x/'),
        400,
      ],
      serial: [post('/v1/serial', 'x', `Content-Type: ${ASSERTIONS}`), 400],
      'sessions with nothing': [post(`${AUTH}/sessions`), 400],
      'sessions with invalid JSON': [post(`${AUTH}/sessions`, '{', 'Content-Type: application/json'), 400],
      'device-session': [head('GET /device-session'), 401],
      'device-session with something else': [
        head('GET /device-session', 'X-Device-Authorization: Macaroon root="x"'),
        401,
      ],
      'an absent assertion': [head('GET /v2/assertions/account/unknown'), 404],
      'an unknown path': [post(`${AUTH}/nothing`), 404],
      'an extra slash': [post(`${AUTH}/nonces/`), 404],
      'a different method': [head(`GET ${AUTH}/nonces`), 405],
      'a different method at devices': [head(`PUT ${AUTH}/devices`, 'Content-Length: 0'), 405],
      'HEAD at the root, which snapd uses to recognise a store proxy': [head('HEAD /'), 200],
    }
    for (const [name, [bytes, status]] of Object.entries(cases)) {
      test(`${status} for ${name}`, async () => {
        const isHead = bytes.startsWith('HEAD')
        // An answer to HEAD has no body: the next answer would be taken for it.
        const answer = isHead ? await headOf(bytes) : await one(bytes)
        assert.equal(answer.status, status, answer.body)
        const { headers } = answer
        assert.equal(headers.get('content-type'), 'application/json')
        assert.equal(headers.get('snap-store-version'), '32')
        assert.equal(headers.get('location'), undefined)
        // snapd drops an idle connection after 90 seconds, and should be the side that does.
        assert.equal(headers.get('connection'), 'keep-alive')
        assert.equal(headers.get('keep-alive'), 'timeout=100')
        assert.equal(answer.closed, false)
        if (status >= 400) {
          const { error_list, ...rest } = JSON.parse(answer.body)
          assert.deepEqual(rest, { 'error-list': error_list })
          // One line that fits into `snap changes`.
          assert.match(error_list[0].message, /^[^\p{Cc}]{1,400}$/u)
        } else if (!isHead) {
          assert.doesNotThrow(() => JSON.parse(answer.body))
        }
      })
    }

    const headOf = async (bytes: string): Promise<RawAnswer> => {
      const { method = '', path = '' } = /^(?<method>\w+) (?<path>\S+)/.exec(bytes)?.groups ?? {}
      const agent = new Agent({ keepAlive: true })
      const request = httpRequest(`${service.baseUrl}${path}`, { method, agent }).end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      assert.equal((await response.toArray()).length, 0)
      agent.destroy()
      const headers = new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)]))
      return { status: response.statusCode ?? 0, headers, body: '', closed: false }
    }

    test('a serial is an assertion stream, and a session is JSON', async () => {
      const answer = await register(service)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      assert.equal(answer.headers.get('content-type'), ASSERTIONS)
      assert.equal(answer.headers.get('snap-store-version'), '32')
      const session = await openSession(service, { serial: answer.serial ?? assert.fail() })
      assert.equal(session.status, 200)
      assert.equal(session.headers.get('content-type'), 'application/json')
      assert.equal(session.headers.get('snap-store-version'), '32')
      const whom = await call(service, 'GET', '/device-session', {
        headers: { 'snap-device-authorization': `Macaroon root="${session.body.macaroon}"` },
      })
      assert.deepEqual([whom.status, whom.headers.get('content-type')], [200, 'application/json'])
    })
  })

  test('one connection accepts many requests, as snapd sends them', async () => {
    const nothing = head(`POST ${AUTH}/nonces`, 'Accept: application/json', 'Content-Length: 0')
    const answers = await raw(nothing + nothing + head('GET /') + nothing, 4)
    assert.deepEqual(
      answers.map(({ status, closed }) => [status, closed]),
      Array(4).fill([200, false]),
    )
    const nonces = [0, 1, 3].map((at) => JSON.parse(answers[at]?.body ?? '').nonce)
    assert.equal(new Set(nonces).size, 3)
  })

  describe('sizes', () => {
    const limits: readonly (readonly [path: string, bytes: number, type: string, code: string])[] = [
      [`${AUTH}/devices`, 4 * MIB, ASSERTIONS, 'invalid-assertion'],
      ['/v1/serial', 4 * MIB, ASSERTIONS, 'invalid-assertion'],
      [`${AUTH}/sessions`, MIB, 'application/json', 'invalid-request'],
    ]
    for (const [path, limit, type, code] of limits) {
      test(`${path} reads ${limit} bytes and no more`, async () => {
        const send = (length: number) =>
          one(
            Buffer.concat([
              Buffer.from(head(`POST ${path}`, `Content-Type: ${type}`, `Content-Length: ${length}`)),
              Buffer.alloc(length, 0x78),
            ]),
          )
        const most = await send(limit)
        assert.deepEqual([most.status, codeOf(most), most.closed], [400, code, false])
        const over = await send(limit + 1)
        assert.deepEqual([over.status, codeOf(over), over.closed], [413, 'request-too-large', true])
        assert.equal(over.headers.get('content-type'), 'application/json')
        assert.equal(over.headers.get('snap-store-version'), '32')
      })

      test(`${path} does not wait for more bytes`, async () => {
        for (const fields of [
          [`Content-Length: ${limit + 1}`],
          ['Content-Length: 99999999999', 'Expect: 100-continue'],
        ]) {
          const answer = await one(head(`POST ${path}`, `Content-Type: ${type}`, ...fields))
          assert.deepEqual([answer.status, codeOf(answer), answer.closed], [413, 'request-too-large', true])
        }
        const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
        const chunks = chunk.repeat(limit / 0x10000 + 1)
        const answer = await one(
          head(`POST ${path}`, `Content-Type: ${type}`, 'Transfer-Encoding: chunked') + chunks,
        )
        assert.deepEqual([answer.status, codeOf(answer)], [413, 'request-too-large'])
      })
    }

    test('a route without a body accepts 64 KiB of one, and ignores it', async () => {
      for (const path of [`${AUTH}/nonces`, `${AUTH}/request-id`, '/v1/request-id']) {
        const body = 'x'.repeat(64 * KIB)
        const most = head(`POST ${path}`, `Content-Length: ${body.length}`) + body
        assert.equal((await one(most)).status, 200)
        const over = await one(head(`POST ${path}`, `Content-Length: ${body.length + 1}`))
        assert.deepEqual([over.status, codeOf(over)], [413, 'request-too-large'])
      }
    })

    const refusal = async (stream: string | Uint8Array) => refusalOf(await postDevices(service, stream))

    test('an assertion has at most 128 KiB of headers', async () => {
      const requestId = await getRequestId(service)
      const key = await freshDeviceKey()
      const padded = (padding: number) =>
        serialRequest({ requestId, key, headers: { padding: 'p'.repeat(padding) } })
      const headersOf = (bytes: Uint8Array) => Buffer.from(bytes).indexOf('\n\n') + 2
      const padding = 128 * KIB - headersOf(padded(0))
      assert.equal(headersOf(padded(padding)), 128 * KIB)
      const over = Buffer.from(padded(padding)).toString().replace('padding: ', 'padding: p')
      const { status, code, message } = await refusal(streamOf(over, modelFile.bytes))
      assert.deepEqual([status, code], [400, 'invalid-assertion'])
      assert.match(message, /too many bytes in assertion headers: 131073, and the limit is 131072/)
      const taken = await postDevices(service, streamOf(padded(padding), modelFile.bytes))
      assert.equal(taken.status, 200, JSON.stringify(taken.body))
    })

    test('an assertion has at most 2 MiB of body, which its serial repeats', async () => {
      const requestId = await getRequestId(service)
      const request = serialRequest({ requestId, key: await freshDeviceKey(), body: 'b'.repeat(2 * MIB) })
      const over = Buffer.from(request)
        .toString()
        .replace('body-length: 2097152', 'body-length: 2097153')
        .replace('\n\nb', '\n\nbb')
      const { status, code, message } = await refusal(streamOf(over, modelFile.bytes))
      assert.deepEqual([status, code], [400, 'invalid-assertion'])
      assert.match(message, /too many bytes in an assertion body: 2097153, and the limit is 2097152/)
      const taken = await postDevices(service, streamOf(request, modelFile.bytes))
      assert.equal(taken.status, 200, JSON.stringify(taken.body))
      assert.equal(taken.serial?.body.length, 2 * MIB)
    })

    test('no answer waits for an announced body that never arrives', async () => {
      const text = vector('valid/serial-request-proposed-body').bytes.toString()
      const announced = text.replace(/body-length: \d+/, 'body-length: 2000000')
      assert.notEqual(announced, text)
      for (const body of [announced, text.replace(/body-length: \d+/, 'body-length: 99999999999999999999')]) {
        const { status, code } = await refusal(body)
        assert.deepEqual([status, code], [400, 'invalid-assertion'])
      }
    })

    test('a stream of many assertions is refused unread', async () => {
      const { status, code } = await refusal(streamOf(...Array(200).fill(modelFile.bytes)))
      assert.deepEqual([status, code], [400, 'invalid-assertion'])
    })

    test('a session request of 1 MiB is read, because models can be large', async () => {
      const serial = await registered(service, { key: deviceKey('device2') })
      const large = acmeModel(ACME.model, { 'x-padding': 'p'.repeat(120 * KIB) }, 'b'.repeat(800 * KIB))
      const { status, body } = await openSession(service, {
        serial,
        key: deviceKey('device2'),
        modelText: large,
      })
      assert.equal(status, 200, JSON.stringify(body))
    })
  })
})
