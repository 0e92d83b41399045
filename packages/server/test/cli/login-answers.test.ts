/** `ratafia login` with services that are unreachable, busy or hostile, and with other programs. */
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { describe, test } from 'node:test'
import { freePort } from '../../../../tools/test/free-port.ts'
import { casesIn } from '../support/cases.ts'
import { startTokensCreate, tokensCreate } from '../support/login-command.ts'
import { json, loginStubs, type Respond, rootFor, WORKS } from '../support/login-stubs.ts'

describe('ratafia login', () => {
  const { serve, outcome } = loginStubs()

  test('logs in at the unchanged stubs, so each refusal below comes from what its test changes', async () => {
    assert.deepEqual(await outcome({}), { code: 0, stdout: 'AgEXdG9rZW4\n', said: '' })
  })

  test('exits with 3 if nothing listens or the host does not exist', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    for (const [address, reason] of [
      [url, 'nothing listens there'],
      ['http://127.0.0.1:9', 'browsers and other clients refuse to use that port'],
      [
        'http://no-such-host.invalid',
        'there is no host with this name|the name cannot be looked up at the moment',
      ],
    ]) {
      const { code, stdout, stderr } = await tokensCreate(['--all', '--for', 'raw', '--url', String(address)])
      assert.deepEqual({ code, stdout }, { code: 3, stdout: '' })
      assert.match(
        stderr,
        new RegExp(`^ratafia: ${address}/ cannot be reached: (${reason})\\. Check --url, or try again\\.\n$`),
      )
    }
  })

  test('exits with 3 and suggests the other scheme if https is used for http, or http for https', async () => {
    const url = await serve({})
    // A server with TLS closes the connection when it reads a plain request.
    const tls = createServer((socket) => socket.once('data', () => socket.destroy()))
    await new Promise<void>((resolve) => {
      tls.listen(0, '127.0.0.1', resolve)
    })
    const { port } = tls.address() as AddressInfo
    for (const [address, advice] of [
      [url.replace('http:', 'https:'), 'If it speaks http, write http:// in the address'],
      [`http://127.0.0.1:${port}`, 'If it speaks https, write https:// in the address'],
    ]) {
      const { code, stderr } = await tokensCreate(['--all', '--url', String(address)])
      assert.equal(code, 3)
      assert.ok(
        stderr.includes(`${address}/ cannot be reached: `) && stderr.includes(`${advice}. Check --url`),
        stderr,
      )
    }
    tls.close()
  })

  /** A title, the endpoint, its status and body or a key of STRANGE, the exit code, and the message. */
  const ANSWERS = casesIn(String.raw`
    busy | POST /api/v2/tokens | 503 {"error_list":[{"code":"service-unavailable","message":"It is busy.","extra":{}}]} | 3 | ^ratafia: URL/api/v2/tokens: It is busy\.$
    too many requests | POST /api/v2/tokens | 429 {"error_list":[{"code":"x","message":"Too many.","extra":{}}]} | 3 | : Too many\.$
    a proxy without its service | GET / | badGateway | 3 | ^ratafia: URL/: something in front of the service answers with status 502: it does not reach the service\. Is
    a refusal | POST /api/v2/tokens | 400 {"error_list":[{"code":"x","message":"No such thing.","extra":{}}]} | 1 | URL/api/v2/tokens: No such thing\.$
    another program | GET / | 200 {"hello":"world"} | 1 | ^ratafia: URL/ answered with no description of this service\. It may be another program\. Check --url\.$
    an HTML page | GET / | page | 1 | It may be another program
    a redirect | GET / | redirect | 1 | URL/ redirects to another address, and redirects are not followed
    an endless answer | GET / | endless | 1 | answered with more than 256 KiB
    no macaroon | POST /api/v2/tokens | 200 {"macaroon":"{}"} | 1 | something other than a macaroon
    a macaroon of garbage | POST /api/v2/tokens | 200 {"macaroon":"\u0000"} | 1 | something other than a macaroon
    a caveat without an address | POST /api/v2/tokens | rootForFile | 1 | a macaroon that cannot be discharged
    a refusal of the identity service | POST /identity/discharge | 401 {"Code":"permission denied","Message":"No."} | 1 | URL/identity/discharge: No\.$
    a discharge of something else | POST /identity/discharge | 200 {"Macaroon":{}} | 1 | something other than a macaroon
    no login in a browser | POST /identity/discharge | 401 {"Code":"interaction required","Info":{"InteractionMethods":{}}} | 1 | does not offer logins in a browser\. Pass --agent\.$
    a script as the address to open | POST /identity/discharge | 401 {"Code":"interaction required","Info":{"InteractionMethods":{"browser-window":{"VisitURL":"javascript:alert(1)","WaitTokenURL":"http://x/"}}}} | 1 | does not offer logins in a browser
    a refusal after the wait | GET /identity/wait | 401 {"Code":"permission denied","Message":"It has expired."} | 1 | ^ratafia: URL/identity/wait: It has expired\.$
    no login after the wait | GET /identity/wait | 200 {} | 1 | URL/identity/wait answered with no login
    no credential | POST /api/v2/tokens/export | 200 {"root":"a","discharge":"b","macaroon":"c d","session-id":"a"} | 1 | answered with no credential
    no session | POST /api/v2/tokens/export | 200 {"root":"a","discharge":"b","macaroon":"c","session-id":"\u001b[2J"} | 1 | answered with no session
    escapes for the terminal | POST /api/v2/tokens | 400 {"error_list":[{"code":"x","message":"a\u001b[2Jb\u202e","extra":{}}]} | 1 | : a[^\p{Cc}\p{Cf}]*b[^\p{Cc}\p{Cf}]*$`)
  const STRANGE: Readonly<Record<string, Respond>> = {
    badGateway: (_, to) => void to.writeHead(502).end('<html>'),
    page: (_, to) => void to.writeHead(200).end('<html>'),
    redirect: (_, to) => void to.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    endless,
    rootForFile: rootFor('file:///etc/passwd'),
  }
  for (const [what, at = '', answer = '', code, said = ''] of ANSWERS) {
    test(`${what}: exits with ${code}, and prints only the problem on standard error`, async () => {
      const [, status, body = ''] = /^(\d{3}) (.*)$/.exec(answer) ?? []
      const respond = STRANGE[answer] ?? json(JSON.parse(body), Number(status))
      const result = await outcome({ [at]: respond })
      assert.deepEqual([result.code, result.stdout], [Number(code), ''], result.said)
      assert.match(result.said, new RegExp(said, 'u'))
      assert.doesNotMatch(result.said, /SECRET/)
    })
  }

  test('keeps waiting after a 504, a restart of the service and a broken connection', async () => {
    const answers: Respond[] = [
      json({ Code: 'service unavailable', Message: 'Ask again' }, 504),
      (_, to) => void to.destroy(),
      (_, to) => void to.writeHead(503).end('<html>'),
      json({ kind: 'login', token64: 'dG9rZW4=' }),
    ]
    const wait: Respond = (request, response, body) => answers.shift()?.(request, response, body)
    assert.deepEqual(await outcome({ 'GET /identity/wait': wait }), {
      code: 0,
      stdout: 'AgEXdG9rZW4\n',
      said: '',
    })
    assert.equal(answers.length, 0)
  })

  test('prints nothing on standard output before the credential', async () => {
    let decide = () => {}
    const wait: Respond = (request, response) => {
      decide = () => json({ kind: 'login', token64: 'dG9rZW4=' })(request, response, '') as undefined
    }
    const url = await serve({ ...WORKS, 'GET /identity/wait': wait })
    const running = startTokensCreate(['--all', '--for', 'raw', '--url', url])
    assert.equal(await running.visit(), `${url}/identity/login?did=1`)
    while (String(decide) === '() => {}') await new Promise((resolve) => setTimeout(resolve, 5))
    decide()
    const { stdout, stderr } = await running.finished
    assert.equal(stdout, 'AgEXdG9rZW4\n')
    assert.doesNotMatch(stderr, /SECRET|cm9vdA|ZGlz|AgEX/)
  })
})

function endless(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(16_384))) {}
  }
  response.on('drain', more)
  more()
}
