/** Whatever looks at a connection works with TLS: limits, addresses, proxies, cookies, refusals by the parser. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect as connectTcp, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, suite, test } from 'node:test'
import { connect, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { arrivedInSecret } from '../../src/http/client.ts'
import { type ListeningServer, listen } from '../../src/http/server.ts'
import { oneDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { manage, managerToken } from '../support/managers.ts'
import { observedServices, scrape } from '../support/observed.ts'
import { sendRaw } from '../support/raw-http.ts'
import { getRoot } from '../support/service.ts'
import { type TlsFiles, tlsFilesIn, tlsPair } from '../support/tls-pairs.ts'

const { cert: CA } = tlsPair('first')
const PAIR = { ...tlsPair('first'), until: 0 }

oneDatabase((_kind, _open, fresh) => {
  const observed = observedServices(fresh)
  const trusted = getCACertificates()
  let directory: string
  let files: TlsFiles
  let TLS: Readonly<Record<string, string>>
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ratafia-https-'))
    files = tlsFilesIn(directory)
    await files.write(tlsPair('first'))
    TLS = files.environment
    setDefaultCACertificates([...trusted, CA])
  })
  after(async () => {
    setDefaultCACertificates(trusted)
    await rm(directory, { recursive: true, force: true })
  })

  test('by default, macaroons and cookies are for its https address', async () => {
    const service = await observed(TLS)
    assert.match(service.baseUrl, /^https:\/\/127\.0\.0\.1:\d+$/)
    assert.equal(JSON.parse(await getRoot(service)).l, new URL(service.baseUrl).host)
    const page = await fetch(`${service.baseUrl}/console/sign-in`)
    const cookies = page.headers.getSetCookie()
    assert.ok(cookies.length > 0)
    for (const cookie of cookies) assert.match(cookie, /^__Secure-.*; Secure;/)
  })

  test('the address of a client is that of its connection, or what a trusted proxy forwards', async () => {
    for (const [environment, address] of [
      [TLS, '127.0.0.1'],
      [{ ...TLS, RATAFIA_TRUSTED_PROXIES: '127.0.0.1' }, '203.0.113.7'],
    ] as const) {
      const service = await observed(environment)
      await fetch(service.baseUrl, { headers: { 'x-forwarded-for': '203.0.113.7' } })
      await service.close()
      assert.match(service.log(), new RegExp(`"address":"${address}","msg":"request"`))
    }
  })

  test('security: the status over HTTP names unusable files without their directory', async () => {
    const service = await observed(TLS)
    const token = await managerToken(service, 'auditor')
    const certificates = async () => {
      const { body } = await manage(service, token, 'GET', '/status')
      return body.findings.find(({ part }: { readonly part: string }) => part === 'certificates')
    }
    assert.deepEqual(await certificates(), {
      part: 'certificates',
      state: 'ok',
      says: '1 for https; the first expires at 2126-01-01T00:00:00.000Z.',
    })
    await files.write({ ...tlsPair('first'), key: '' })
    process.emit('SIGHUP')
    await eventually('it was read', () => service.log().includes('keeping the previous TLS certificate'))
    await files.write(tlsPair('first'))
    assert.deepEqual(await certificates(), {
      part: 'certificates',
      state: 'attention',
      says: 'The certificate for https was not replaced by the one in its files: RATAFIA_TLS_KEY: key.pem contains no private key (PEM)',
    })
  })

  test('requests that the parser refuses get their answer', async () => {
    const service = await observed(TLS)
    for (const [request, status] of [
      ['GET / HTTP/1.1\r\n\r\n', 400],
      ['no HTTP at all\r\n\r\n', 400],
      ['CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
      ['GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/9\r\n\r\n', 200],
    ] as const) {
      const [answer] = await sendRaw(service.baseUrl, request)
      assert.equal(answer?.status, status, request.slice(0, 40))
    }
    const metrics = await observed({ ...TLS, RATAFIA_METRICS_PORT: '0' })
    assert.equal((await fetch(metrics.baseUrl)).status, 200)
    const samples = await scrape(metrics.metricsUrl)
    assert.equal(samples.get('ratafia_tls_certificate_expiry_timestamp_seconds'), 4_922_899_200)
  })
})

suite('connections', { timeout: 120_000 }, () => {
  const sockets = new Set<Socket>()
  let server: ListeningServer
  const start = async (limits: Parameters<typeof listen>[3]) => {
    server = await listen('127.0.0.1', 0, undefined, limits, PAIR)
    server.serve((_request, response) => response.end('served'))
    server.open()
  }
  const port = () => Number(new URL(server.origin).port)
  const keep = (socket: Socket) => {
    sockets.add(socket.on('error', () => {}).resume())
    return socket
  }
  /** Opens a connection without a handshake. */
  const bare = () => keep(connectTcp(port(), '127.0.0.1'))
  const secured = async () => {
    const socket = connect({ host: '127.0.0.1', port: port(), ca: CA })
    keep(socket)
    await once(socket, 'secureConnect')
    return socket
  }
  const ask = async (socket: Socket) => {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 200 /)
  }
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    await server.close()
  })

  test('a connection counts once, from its start to its end', async () => {
    await start({})
    const silent = bare()
    const one = await secured()
    await ask(one)
    const two = await secured()
    assert.equal(server.connections, 3)
    for (const [left, socket] of [silent, one, two].entries()) {
      socket.destroy()
      await eventually('it does not count any more', () => server.connections === 2 - left)
    }
  })

  test('connections without a handshake cannot keep out others: the quiet ones are cut', async () => {
    await start({ connections: 4 })
    const silent = Array.from({ length: 3 }, bare)
    const served = await secured()
    await ask(served)
    await eventually('all are open', () => server.connections === 4)
    const cut = Promise.race(silent.map((socket) => once(socket, 'close')))
    const other = await secured()
    await cut
    await ask(other)
    await ask(served)
    assert.equal(server.connections, 4)
  })

  test('a handshake that does not arrive is cut like headers that do not', async () => {
    await start({ headers: 50 })
    const socket = bare()
    await once(socket, 'close')
    await eventually('it does not count any more', () => server.connections === 0)
  })
})

test('security: a password may only come over TLS, from this machine, or by a proxy that reports TLS', () => {
  const socket = (isTls: boolean) => (isTls ? { encrypted: true } : {}) as Socket
  const client = (address: string, byTrustedProxy: boolean) => ({
    address,
    byTrustedProxy,
    networks: [] as never,
  })
  for (const [address, isTls, byTrustedProxy, proto, expected] of [
    ['203.0.113.7', true, false, undefined, true],
    ['203.0.113.7', false, false, 'https', false],
    ['203.0.113.7', true, true, undefined, false],
    ['203.0.113.7', true, true, 'http', false],
    ['203.0.113.7', true, true, 'https', true],
    ['127.0.0.1', false, false, undefined, true],
  ] as const) {
    const headers = proto === undefined ? {} : { 'x-forwarded-proto': proto }
    const request = { client: client(address, byTrustedProxy), headers, socket: socket(isTls) }
    assert.equal(arrivedInSecret(request), expected, JSON.stringify([address, isTls, byTrustedProxy, proto]))
  }
})
