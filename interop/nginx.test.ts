// Debian's nginx with examples/nginx/ratafia.conf, in front of the service and of a store: TLS, auth_request, headers
// as large as macaroons, a login, and requests that must not pass.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http'
import { request as requestOverTls } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import {
  addFirstPartyCaveat,
  decodeBase64,
  decodeBinary,
  encodeBase64Url,
  encodeBinary,
} from '@ratafia/macaroon'
import {
  AUTH,
  freshDeviceKey,
  registered,
  sessionBody,
  sessionOf,
} from '../packages/server/test/support/devices.ts'
import { caveatIdOf, pairHeader } from '../packages/server/test/support/publishers.ts'
import { freePort } from '../tools/test/free-port.ts'
import { ratafiaCommand } from '../tools/test/programs.ts'
import { goBakery } from './support/driver.ts'
import { DATABASES, type Installation, newInstallation } from './support/installation.ts'
import { type Nginx, startNginx, startTwoNodes } from './support/nginx.ts'
import { cleanEnvironment, clientPaths } from './support/paths.ts'
import { routesOfService } from './support/routes.ts'
import { type Service, startService } from './support/service.ts'
import { ADA, addAccount, FARM } from './support/world.ts'

interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const vectors = join(clientPaths.root, 'packages/assertions/vectors/world')
const DEVICE_PATH = '/v2/snaps/info/hello'

test('examples/nginx/two-nodes.conf forwards every path of the service', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ratafia-two-nodes-'))
  const asked: string[] = []
  const node = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(node, 'listening')
  const nginx = await startTwoNodes({
    directory,
    port: await freePort(),
    nodes: [addressOf(node), addressOf(node)],
  })
  try {
    for (const { method, url } of await routesOfService()) {
      const path = samplePath(url)
      assert.equal(await statusOf(nginx, method, path), 200)
      assert.equal(asked.pop(), `${method} ${path}`)
    }
  } finally {
    await nginx.close()
    node.close()
    await rm(directory, { recursive: true })
  }
})

for (const kind of DATABASES) {
  suite(kind, { timeout: 300_000 }, () => {
    let installation: Installation
    let service: Service
    let nginx: Nginx
    let store: Server
    let asked: Asked[] = []

    before(async () => {
      const port = await freePort()
      installation = await newInstallation(kind)
      Object.assign(installation.environment, {
        RATAFIA_BASE_URL: `https://localhost:${port}`,
        RATAFIA_TRUSTED_PROXIES: '127.0.0.1',
      })
      service = await startService(installation)
      // Commands need the URL that clients use.
      installation.environment['RATAFIA_BASE_URL'] = `https://localhost:${port}`
      store = createServer({ maxHeaderSize: 65_536 }, async (request, response) => {
        const { method = '', url: path = '', headers } = request
        asked.push({ method, path, headers, body: (await buffer(request)).toString() })
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"from":"the store"}')
      }).listen(0, '127.0.0.1')
      await once(store, 'listening')
      const { directory, ratafia } = installation
      nginx = await startNginx({ directory, port, nodes: [hostOf(service)], store: addressOf(store) })
      await ratafia([
        'trust',
        'add',
        join(vectors, 'account-test-root'),
        join(vectors, 'account-key-test-root'),
      ])
      await ratafia([
        ...['brands', 'add', '--account', join(vectors, 'account-acme-brand')],
        ...[
          '--account-key',
          join(vectors, 'account-key-acme-brand'),
          '--signing-key',
          join(vectors, 'keys/brand.pem'),
        ],
      ])
      await ratafia(['models', 'add', join(vectors, 'model-acme-classic'), '--registration', 'auto'])
    })
    after(async () => {
      await nginx?.close()
      store?.close()
      await service?.stop()
      await installation?.remove()
    })

    const curl = (...words: readonly string[]) => curlWith(nginx.certificate, words)
    /** Returns the requests that the store got since the last call. */
    const taken = (): readonly Asked[] => {
      const was = asked
      asked = []
      return was
    }
    let serials = 0
    /** Opens a session without going through nginx. */
    const session = async () => {
      const key = await freshDeviceKey()
      const reach = { baseUrl: directUrl(service) }
      const serial = await registered(reach, { key, serial: `N-${++serials}` })
      return { serial, key, macaroon: await sessionOf(reach, { serial, key }) }
    }
    const showing = (macaroon: string) => ['-H', `X-Device-Authorization: Macaroon root="${macaroon}"`]

    test('a device registers, opens a session and refreshes it, over TLS', async () => {
      const directory = join(installation.directory, 'acme')
      await mkdir(join(directory, 'device'), { recursive: true })
      await copyFile(join(vectors, 'model-acme-classic'), join(directory, 'model-acme-classic'))
      await copyFile(join(vectors, 'keys/device.pem'), join(directory, 'device/device.pem'))
      const [file, ...first] = ratafiaCommand()
      const { stdout } = await promisify(execFile)(
        file,
        [...first, 'demo', 'device', '--brand', directory, nginx.url],
        { env: cleanEnvironment({ NODE_EXTRA_CA_CERTS: nginx.certificate }) },
      )
      assert.match(stdout, /^Registered: acme-brand\/acme-classic\//m)
      assert.match(stdout, /^Refreshed: /m)
      assert.deepEqual(taken(), [], 'no request reached the store')
    })

    test('auth_request: a valid session gives access to the store, which gets the names of the device', async () => {
      const { macaroon, serial } = await session()
      const answer = await curl(
        ...showing(macaroon),
        '-H',
        'Ratafia-Serial: mine',
        '-H',
        'Ratafia-Session: mine',
        `${nginx.url}${DEVICE_PATH}?a=b`,
      )
      assert.deepEqual([answer.status, answer.body], [200, '{"from":"the store"}'])
      const [request, ...more] = taken()
      assert.deepEqual(more, [])
      assert.equal(request?.path, `${DEVICE_PATH}?a=b`)
      assert.equal(request?.headers['ratafia-serial'], serial.fields.serial)
      assert.equal(request?.headers['ratafia-brand'], 'acme-brand')
      assert.equal(request?.headers['ratafia-model'], 'acme-classic')
      assert.equal(request?.headers['ratafia-session'], undefined, "the client's header is removed")
      assert.equal(request?.headers['x-forwarded-for'], '127.0.0.1')

      const body = JSON.stringify({ context: 'x'.repeat(100_000) })
      const file = join(installation.directory, 'body.json')
      await writeFile(file, body)
      const sent = await curl(
        ...showing(macaroon),
        '--data-binary',
        `@${file}`,
        `${nginx.url}/v2/snaps/refresh`,
      )
      assert.equal(sent.status, 200, sent.body)
      const [posted] = taken()
      assert.equal(posted?.body.length, body.length, 'the store gets the whole body')
    })

    test('auth_request: an invalid session gets a 401 with the challenge that snapd looks for', async () => {
      const { macaroon, serial } = await session()
      const refused = async (words: readonly string[]) => {
        const { status, headers } = await curl(...words, `${nginx.url}${DEVICE_PATH}`)
        assert.equal(status, 401)
        assert.equal(headers['www-authenticate'], 'Macaroon refresh_device_session=1')
        assert.deepEqual(taken(), [], 'no request reached the store')
      }
      await refused([])
      await refused(showing('AgEOZm9yZ2Vk'))
      assert.equal((await curl(...showing(macaroon), `${nginx.url}${DEVICE_PATH}`)).status, 200)
      taken()
      const name = `acme-brand/acme-classic/${serial.fields.serial}`
      await installation.ratafia(['devices', 'revoke', '--yes', name, '--reason', 'stolen'])
      await refused(showing(macaroon))
    })

    test('headers of 40 KiB pass, with a narrowed token that has long limits', async () => {
      // The holder repeats a long caveat. A caveat can repeat a limit that a token already has.
      const channel = Array.from({ length: 38 }, (_, at) => `track-${at}/stable/${'branch'.padEnd(80, '-b')}`)
      const extra = { channel, package_id: null, acl: null, store_ids: null }
      const [macaroon] = decodeBinary(decodeBase64(await logIn({ channels: channel })))
      assert.ok(macaroon)
      let narrowed = macaroon
      while (encodeBinary(narrowed).length < 30_000) {
        narrowed = addFirstPartyCaveat(narrowed, `extra ${JSON.stringify(extra)}`)
      }
      const header = `Authorization: Macaroon ${encodeBase64Url(encodeBinary(narrowed))}`
      assert.ok(header.length > 40_000, String(header.length))
      const answer = await curl('-H', header, `${nginx.url}/api/v2/tokens/whoami`)
      assert.equal(answer.status, 200, answer.body)
      taken()
      assert.equal((await curl('-H', header, `${nginx.url}/somewhere`)).status, 200)
      assert.equal(taken()[0]?.headers.authorization?.length, header.length - 'Authorization: '.length)
    })

    test('an agent logs in over TLS: root, discharge, exchange, whoami, revoke', async () => {
      const token = await logIn()
      const bearing = ['-H', `Authorization: Macaroon ${token}`]
      const me = await curl(...bearing, `${nginx.url}/api/v2/tokens/whoami`)
      assert.equal(JSON.parse(me.body).account.username, FARM.username)
      const [record] = JSON.parse((await curl(...bearing, `${nginx.url}/api/v2/tokens`)).body).macaroons
      const revoking = JSON.stringify({ 'session-id': record['session-id'] })
      assert.equal((await curl(...bearing, '-d', revoking, `${nginx.url}/api/v2/tokens/revoke`)).status, 200)
    })

    test('a user logs in with a password over TLS: root, discharge, account, exchange below each prefix', async () => {
      await addAccount(installation, ADA, ADA.password)
      const post = async (path: string, body: object, ...words: readonly string[]) => {
        const sent = ['-H', 'Content-Type: application/json', '-d', JSON.stringify(body)]
        const answer = await curl(...words, ...sent, `${nginx.url}${path}`)
        assert.equal(answer.status, 200, `${path}: ${answer.body}`)
        return JSON.parse(answer.body)
      }
      const { macaroon: root } = await post('/dev/api/acl/', {})
      const login = { email: ADA.email, password: ADA.password, caveat_id: caveatIdOf(root) }
      const { discharge_macaroon: discharge } = await post('/api/v2/tokens/discharge', login)
      const presenting = ['-H', `Authorization: ${pairHeader({ root, discharge }).authorization}`]
      const { body } = await curl(...presenting, `${nginx.url}/dev/api/account`)
      assert.equal(JSON.parse(body).username, ADA.username)
      for (const prefix of ['', '/publishergw'])
        await post(`${prefix}/v1/tokens/usso/exchange`, {}, ...presenting)
      assert.deepEqual(taken(), [], 'no request reached the store')
    })

    test("nginx decides a client's address, regardless of the client's headers", async () => {
      const { serial, key } = await session()
      const body = join(installation.directory, 'session.json')
      await writeFile(
        body,
        JSON.stringify(await sessionBody({ baseUrl: directUrl(service) }, { serial, key })),
      )
      const spoofed = ['-H', 'X-Forwarded-For: 203.0.113.66', '-H', 'Content-Type: application/json']
      const opened = await curl(...spoofed, '--data-binary', `@${body}`, `${nginx.url}${AUTH}/sessions`)
      assert.equal(opened.status, 200, opened.body)
      const name = `acme-brand/acme-classic/${serial.fields.serial}`
      const shown = await installation.ratafia(['devices', 'show', name, '--json'])
      assert.ok(shown.includes('127.0.0.1'))
      assert.ok(!shown.includes('203.0.113.66'))
    })

    test('every path of the service is forwarded, except those that the example withholds', async () => {
      const withheld: string[] = []
      for (const { method, url } of await routesOfService()) {
        const status = await statusOf(nginx, method, samplePath(url))
        // A missing body is refused. The test only checks that the service answers.
        assert.notEqual(status, 502, `${method} ${url}`)
        if (taken().length > 0) withheld.push(url)
      }
      assert.deepEqual([...new Set(withheld)].toSorted(), ['/health/live', '/health/ready'])
    })

    test('health checks and metrics cannot be reached from outside', async () => {
      for (const path of ['/health/ready', '/health/live', '/metrics', '/ratafia-device-session']) {
        const { body, status } = await curl(`${nginx.url}${path}`)
        assert.ok(status === 404 || body === '{"from":"the store"}', `${path}: ${status} ${body}`)
      }
      taken()
    })

    test('the access log contains no queries, and no setup link', async () => {
      assert.equal((await curl(`${nginx.url}/setup/Canary0Canary1`)).status, 404)
      await curl(`${nginx.url}/identity/login?did=Canary0Canary1`)
      await curl(`${nginx.url}/?token=Canary0Canary1`)
      const log = await nginx.accessLog()
      assert.match(log, / GET \/identity\/login \d{3} /)
      assert.ok(!log.includes('Canary'))
    })

    test('a POST that a node has seen is never sent to another node; a GET is', async () => {
      let seen = 0
      const dying = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1')
      const other = createServer((_request, response) => {
        seen++
        response.end('{}')
      }).listen(0, '127.0.0.1')
      await Promise.all([once(dying, 'listening'), once(other, 'listening')])
      const front = await startNginx({
        ...{ directory: installation.directory, port: await freePort() },
        ...{ nodes: [addressOf(dying), addressOf(other)], store: addressOf(store) },
      })
      const { status } = await curlWith(front.certificate, ['-d', '{}', `${front.url}/api/v2/tokens`])
      assert.equal(status, 502)
      assert.equal(seen, 0)
      await front.close()
      const again = await startNginx({
        ...{ directory: installation.directory, port: await freePort() },
        ...{ nodes: [addressOf(dying), addressOf(other)], store: addressOf(store) },
      })
      assert.equal((await curlWith(again.certificate, [`${again.url}/`])).status, 200)
      assert.equal(seen, 1)
      await again.close()
      dying.close()
      other.close()
    })

    test('while the service is down, no request reaches the store, and snapd is asked to retry', async () => {
      const { macaroon } = await session()
      taken()
      await service.stop()
      const { status, headers } = await curl(...showing(macaroon), `${nginx.url}${DEVICE_PATH}`)
      assert.deepEqual([status, headers['retry-after']], [503, '1'])
      assert.deepEqual(taken(), [])
    })

    test('the error log contains no queries of the identity service and no setup link, even while the service is down', async () => {
      for (const path of ['wait-token', 'login', 'discharge']) {
        const { status } = await curl(`${nginx.url}/identity/${path}?did=Canary0Canary1`)
        assert.equal(status, 502)
      }
      assert.equal((await curl(`${nginx.url}/setup/Canary0Canary1`)).status, 502)
      const tooLarge = join(installation.directory, 'large')
      await writeFile(tooLarge, 'x'.repeat(100_000))
      const url = `${nginx.url}/identity/discharge?did=Canary0Canary1`
      assert.equal((await curl('--data-binary', `@${tooLarge}`, url)).status, 413)
      const log = await nginx.errorLog()
      assert.match(log, /connect\(\) failed/, 'the log reports errors of other paths')
      assert.ok(!log.includes('Canary'), log)
    })

    let accounts = 0
    async function logIn(limits: object = { permissions: ['package_access'] }): Promise<string> {
      if (accounts++ === 0) await addAccount(installation, FARM)
      const file = join(installation.directory, `agents-${accounts}.json`)
      await installation.ratafia([
        ...['agents', 'add', `builder-${accounts}`, '--account', FARM.username, '--output', file],
      ])
      assert.ok((await readFile(file, 'utf8')).includes(nginx.url))
      const asking = JSON.stringify({ ...limits, description: 'behind nginx' })
      const root = await curl(
        '-H',
        'Content-Type: application/json',
        '-d',
        asking,
        `${nginx.url}/api/v2/tokens`,
      )
      assert.equal(root.status, 200, root.body)
      const client = goBakery({ BAKERY_AGENT_FILE: file, SSL_CERT_FILE: nginx.certificate })
      const { macaroons, error } = await client.ask({
        do: 'discharge',
        macaroon: JSON.parse(root.body).macaroon,
      })
      await client.close()
      assert.ok(macaroons, error)
      const exchanged = await curl(
        '-H',
        `Macaroons: ${macaroons}`,
        '-d',
        '{}',
        `${nginx.url}/api/v2/tokens/exchange`,
      )
      assert.equal(exchanged.status, 200, exchanged.body)
      return JSON.parse(exchanged.body).macaroon
    }
  })
}

const addressOf = (server: Server): string => `127.0.0.1:${(server.address() as AddressInfo).port}`
/** Returns the address that the service listens on, regardless of its base URL. */
const directUrl = ({ url }: Service): string => url
const hostOf = ({ url }: Service): string => new URL(url).host

/** Returns a path with a value for each parameter of a route, which can limit it by an expression in parentheses. */
const samplePath = (route: string): string => route.replace(/:\w+(\(.*?\$\)\.[*+]\))?|\*/g, 'x')

/** Returns the status of nginx's answer to a request without a body. */
async function statusOf(
  { url, certificate }: Pick<Nginx, 'url'> & Partial<Nginx>,
  method: string,
  path: string,
): Promise<number | undefined> {
  const sent = certificate
    ? requestOverTls(`${url}${path}`, { method, ca: await readFile(certificate) })
    : request(`${url}${path}`, { method })
  const [answer] = await once(sent.end(), 'response')
  answer.resume()
  return answer.statusCode
}

async function curlWith(certificate: string, words: readonly string[]) {
  const { stdout } = await promisify(execFile)('curl', ['-sS', '-i', '--cacert', certificate, ...words], {
    env: cleanEnvironment(),
  })
  const [head = '', body = ''] = stdout.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '').split(/\r\n\r\n(.*)/s)
  const [first = '', ...lines] = head.split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const at = line.indexOf(':')
    headers[line.slice(0, at).toLowerCase()] = line.slice(at + 1).trim()
  }
  return { status: Number(first.split(' ')[1]), headers, body }
}
