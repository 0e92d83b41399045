/** Tests the headers about a body: its type, its content coding and its transfer coding. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { MANAGEMENT_PREFIX, OPERATIONS, PASSWORD_OPERATIONS } from '@ratafia/api/schemas'
import { oneDatabase } from '../support/databases.ts'
import { sendRaw } from '../support/raw-http.ts'
import { testService } from '../support/service.ts'

/** An address for each reader of bodies. */
const READERS: Readonly<Record<string, string>> = {
  'JSON of the tokens API': OPERATIONS.createToken.path,
  'JSON of gateways': OPERATIONS.gatewayToken.path,
  'JSON of the dashboard': OPERATIONS.ubuntuOneRoot.path,
  'JSON of logins with a password': PASSWORD_OPERATIONS.passwordDischarge.path,
  'JSON of device sessions': OPERATIONS.openSession.path,
  'JSON of the management API': `${MANAGEMENT_PREFIX}/tokens/root`,
  'a file of the management API': `${MANAGEMENT_PREFIX}/jobs?kind=devices.import`,
  'JSON of the redirect': '/identity/discharge-token',
  'a form or JSON': OPERATIONS.exchangeIdToken.path,
  'assertions of devices': OPERATIONS.registerDevice.path,
  'assertions of a device service': '/v1/serial',
  'an ignored body of a nonce': OPERATIONS.nonces.path,
  'an ignored body of a request-id': OPERATIONS.requestId.path,
  'a form of the identity service': '/identity/discharge',
  'a form of its pages': '/identity/login',
  'a form of the console': '/console/me',
  'an upload of the console': '/console/devices/import',
  'the form that signs out': '/console/sign-out',
}

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)

  const send = async (path: string, headers: string, body: string | Uint8Array = '', version = '1.1') => {
    const head = `POST ${path} HTTP/${version}\r\nHost: x\r\n${headers}\r\n`
    const [answer] = await sendRaw(service.baseUrl, Buffer.concat([Buffer.from(head), Buffer.from(body)]))
    return answer ?? assert.fail('no answer')
  }
  const sized = (body: string | Uint8Array) => `Content-Length: ${Buffer.byteLength(body)}\r\n`

  suite('answers 415 to a body with a Content-Encoding, without reading it', () => {
    const body = gzipSync('{}')
    for (const [reader, path] of Object.entries(READERS)) {
      test(reader, async () => {
        for (const coding of [
          ...['gzip', 'x-gzip', 'GZIP', 'br', 'deflate', 'zstd', 'frob', 'gzip, gzip'],
          ...['identity, gzip', 'gzip\r\nContent-Encoding: identity'],
        ]) {
          const {
            status,
            headers,
            body: text,
            closed,
          } = await send(
            path,
            `Content-Encoding: ${coding}\r\nContent-Type: application/json\r\n${sized(body)}`,
            body,
          )
          assert.equal(status, 415, coding)
          assert.equal(headers.get('accept-encoding'), 'identity')
          assert.equal(headers.get('content-type'), 'application/json')
          const [{ code, message }] = JSON.parse(text).error_list
          assert.equal(code, 'unsupported-encoding')
          assert.match(
            message,
            /^The body has a Content-Encoding, .* Send it uncompressed, without that header\.$/,
          )
          assert.equal(closed, true)
        }
      })
    }

    test('refuses a large body after only its headers were sent', async () => {
      const headers = 'Content-Encoding: gzip\r\nContent-Length: 60000\r\n'
      assert.equal((await send(OPERATIONS.createToken.path, headers)).status, 415)
      const chunks = 'Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n'
      assert.equal((await send(OPERATIONS.createToken.path, chunks)).status, 415)
    })

    test('accepts `identity`, however often, an empty header, and a request without a body', async () => {
      for (const coding of ['identity', 'Identity', '', 'identity, identity']) {
        const headers = `Content-Encoding: ${coding}\r\n${sized('{}')}`
        assert.equal((await send(OPERATIONS.createToken.path, headers, '{}')).status, 200, coding)
      }
      assert.equal((await send(OPERATIONS.nonces.path, `Content-Encoding: gzip\r\n${sized('')}`)).status, 200)
    })
  })

  suite('answers 400 to a Transfer-Encoding other than `chunked`, and closes the connection', () => {
    const chunks = '2\r\n{}\r\n0\r\n\r\n'
    for (const [coding, version = '1.1'] of [
      ['gzip, chunked'],
      ['gzip'],
      ['chunked, gzip'],
      ['chunked, chunked'],
      ['chunked\r\nTransfer-Encoding: chunked'],
      ['identity'],
      ['identity, chunked'],
      ['chunked, identity'],
      ['chunked;q=1'],
      ['xchunked'],
      ['"chunked"'],
      ['chunked,'],
      ['chunked\r\nContent-Length: 12'],
      ['chunked', '1.0'],
    ] as const) {
      test(`${JSON.stringify(coding)}, HTTP/${version}`, async () => {
        for (const path of [OPERATIONS.createToken.path, '/identity/discharge', '/nope', '/']) {
          const answer = await send(path, `Transfer-Encoding: ${coding}\r\n`, chunks, version)
          const { status, closed, body } = answer
          assert.deepEqual([status, closed], [400, true], path)
          const [{ code, message }] = JSON.parse(body).error_list
          assert.equal(code, 'invalid-request')
          assert.match(message, /^The (Transfer-Encoding header is not "chunked"|request ).*\.$/)
        }
      })
    }

    test('accepts `chunked` in any case', async () => {
      for (const coding of ['chunked', 'Chunked', ' CHUNKED']) {
        const { status } = await send(OPERATIONS.createToken.path, `Transfer-Encoding: ${coding}\r\n`, chunks)
        assert.equal(status, 200, coding)
      }
    })
  })

  suite('treats a Content-Type that is not a media type as absent', () => {
    const types = [
      ...['', 'garbage', 'frob;;', '/', 'application/', '/json', 'application/json, application/json'],
      ...['text/plain, application/json', 'application json', 'é/x', ';charset=utf-8'],
    ]
    const taken: Readonly<Record<string, string>> = {
      [OPERATIONS.createToken.path]: '{}',
      [OPERATIONS.gatewayToken.path]: '{"permissions":["package-view"]}',
      [OPERATIONS.ubuntuOneRoot.path]: '{"permissions":["package_access"]}',
      [`${MANAGEMENT_PREFIX}/tokens/root`]: '{}',
      [OPERATIONS.nonces.path]: '',
      [OPERATIONS.requestId.path]: '',
      '/v1/request-id': '{}',
    }
    for (const [path, body] of Object.entries(taken)) {
      test(`${path} answers as without the header`, async () => {
        const without = await send(path, sized(body), body)
        assert.equal(without.status, 200, without.body)
        for (const type of types) {
          const { status } = await send(path, `Content-Type: ${type}\r\n${sized(body)}`, body)
          assert.equal(status, 200, JSON.stringify(type))
        }
      })
    }
    for (const [reader, path] of Object.entries(READERS)) {
      test(`${reader}: only for forms is an answer about the type`, async () => {
        const isForm = /form|upload/.test(reader)
        for (const type of types) {
          const { status, body } = await send(path, `Content-Type: ${type}\r\n${sized('x')}`, 'x')
          assert.ok(status < 500 && status !== 415, `${type}: ${status}`)
          if (!isForm) assert.doesNotMatch(body, /content.type|media type/i)
        }
      })
    }
  })
})
