/**
 * How `ratafia serve` starts and stops. On both databases: its output, and that it waits for requests in
 * flight and for nothing else.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { testProgram } from '../support/program.ts'
import { converse } from '../support/raw-http.ts'
import { call, getRoot } from '../support/service.ts'

/** The base URL that clients know the service by, whatever its port in a test. */
const BASE = { RATAFIA_BASE_URL: 'http://ratafia.example' }

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(fresh)

  test('prints its address, console, data and the next step, and logs JSON', async () => {
    const service = await program.start()
    assert.match(service.baseUrl, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    await eventually('it prints the next step', () => service.stdout().includes('podman'))
    const [first, console, data = '', ...rest] = service.stdout().split('\n')
    assert.equal(first, `ratafia listening on ${service.baseUrl}`)
    assert.equal(console, `  Console: ${service.baseUrl}/console/`)
    if (kind === 'sqlite') assert.equal(data, `  Data directory: ${program.environment['RATAFIA_DATA_DIR']}`)
    else assert.match(data, /^ {2}Database: PostgreSQL test_\w+ at 127\.0\.0\.1:\d+$/)
    assert.deepEqual(rest, [
      '  No accounts yet. For a link that creates the first operator, run `ratafia setup-link` on this host',
      '    (a system service: sudo ratafia setup-link; a container: podman exec NAME ratafia setup-link)',
      '',
    ])
    assert.equal((await call(service, 'GET', '/')).status, 200)
    const { code, stderr } = await service.end('SIGTERM')
    assert.equal(code, 0)
    for (const line of stderr.trimEnd().split('\n')) {
      assert.deepEqual(typeof JSON.parse(line).msg, 'string', 'a line that is not a log line')
    }
    assert.match(stderr, /"signal":"SIGTERM","msg":"finishing the requests in flight"/)
  })

  describe('the end', () => {
    for (const signal of kind === 'sqlite' ? (['SIGTERM', 'SIGINT'] as const) : (['SIGTERM'] as const)) {
      test(`${signal}: answers requests in flight, accepts nothing new, and ends with exit code 0`, async () => {
        const service = await program.start(BASE)
        const request = await openRequest(service.baseUrl, '{')
        const ended = service.end(signal)
        await eventually('it accepts nothing new', () =>
          fetch(service.baseUrl, { headers: { connection: 'close' } }).then(
            () => false,
            () => true,
          ),
        )
        request.socket.write('}')
        const answer = await request.answer
        assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
        assert.match(answer, /\r\nconnection: close\r\n/i)
        assert.match(answer, /\{"macaroon":/)
        const { code, stderr } = await ended
        assert.equal(code, 0)
        assert.doesNotMatch(stderr, /Unhandled|Error/)
      })
    }

    test('silent connections, half requests and long polls do not delay the stop', async () => {
      const service = await program.start(BASE)
      const { hostname, port } = new URL(service.baseUrl)
      const silent = connect(Number(port), hostname)
      await once(silent, 'connect')
      const half = connect(Number(port), hostname)
      half.write('GET / HTTP/1.1\r\nHo')
      let refused = ''
      half.on('data', (chunk: Buffer) => {
        refused += chunk.toString()
      })
      // fetch keeps its connection for another request.
      const root = JSON.parse(await getRoot(service))
      const wait = fetch(await waitUrlOf(service.baseUrl, root))
      // Once it has answered later requests, it has the long poll.
      for (let others = 0; others < 3; others++) await call(service, 'GET', '/')
      await sleep(300)
      const ended = service.end('SIGTERM')
      const { status } = await wait
      assert.ok(status === 503 || status === 504, String(status))
      assert.equal((await ended).code, 0)
      assert.equal(refused, '', 'the stop did not wait until a half request timed out')
      for (const socket of [silent, half]) socket.destroy()
    })
  })
})

describe('a service', () => {
  const program = testProgram()

  test('identity serve runs alone', async () => {
    const service = await program.start(BASE, ['identity', 'serve'])
    assert.match(service.stdout(), /^ {2}Identity service: http:\/\/ratafia\.example$/m)
    assert.equal((await call(service, 'GET', '/discharge/info')).status, 200)
    const none = await fetch(`${service.baseUrl}/api/v2/tokens`, { method: 'POST' })
    assert.equal(none.status, 404)
    assert.equal((await service.end('SIGINT')).code, 0)
  })

  test('with a base URL, still prints the socket, and refers to itself by the base URL', async () => {
    const service = await program.start({ RATAFIA_BASE_URL: 'https://store.example.com/auth/' })
    assert.match(service.stdout(), /^ratafia listening on http:\/\/127\.0\.0\.1:\d+\n/)
    assert.match(service.stdout(), /^ {2}Console: https:\/\/store\.example\.com\/auth\/console\/$/m)
    // The first two forms come from a proxy that strips the path, and from one that does not.
    for (const path of ['/', '/auth', '/auth/', '/auth?x']) {
      const { status, body } = await call(service, 'GET', path)
      assert.deepEqual([status, body?.links?.self], [200, 'https://store.example.com/auth'], path)
    }
    for (const path of [
      '/identity/discharge/info',
      '/auth/identity/discharge/info',
      '/auth//identity/discharge/info',
    ]) {
      assert.equal((await call(service, 'GET', path)).status, 200, path)
    }
    assert.equal((await call(service, 'GET', '/authx')).status, 404)
    assert.equal(JSON.parse(await getRoot(service)).l, 'store.example.com')
    assert.equal((await service.end('SIGTERM')).code, 0)
  })

  test('a second signal does not wait', async () => {
    const service = await program.start(BASE)
    const request = await openRequest(service.baseUrl, '{')
    service.child.kill('SIGTERM')
    await eventually('it has the first', () => service.stderr().includes('finishing the requests in flight'))
    assert.equal((await service.end('SIGTERM')).code, 1)
    request.socket.destroy()
  })
})

/** Opens a request whose body has only begun. */
async function openRequest(
  baseUrl: string,
  start: string,
): Promise<{ readonly socket: Socket; readonly answer: Promise<string> }> {
  const { socket, text } = converse(baseUrl)
  socket.write(
    `POST /api/v2/tokens HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n${start}`,
  )
  // Once the service has answered a later request, it has this one.
  await fetch(baseUrl, { headers: { connection: 'close' } })
  return { socket, answer: once(socket, 'close').then(text) }
}

/** Returns the URL where the client of a login waits for its user. */
async function waitUrlOf(
  baseUrl: string,
  root: { readonly c: readonly { readonly i64?: string; readonly v64?: string }[] },
): Promise<string> {
  const id = root.c.find(({ v64 }) => v64 !== undefined)?.i64 ?? assert.fail('no third-party caveat')
  const response = await fetch(`${baseUrl}/identity/discharge`, {
    method: 'POST',
    headers: { 'bakery-protocol-version': '2' },
    body: new URLSearchParams({ id64: id }),
  })
  const { Info } = (await response.json()) as {
    Info: { InteractionMethods: { 'browser-window': { WaitTokenURL: string } } }
  }
  const { pathname, search } = new URL(Info.InteractionMethods['browser-window'].WaitTokenURL)
  return `${baseUrl}${pathname}${search}`
}
