/** `ratafia serve` with its own TLS: its workers, the change of the certificate while they serve, and the end. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, truncate, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { before, describe, test } from 'node:test'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { crewOf, logged, workersOf } from '../support/crew.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { scrape } from '../support/observed.ts'
import { type RunningProgram, testProgram } from '../support/program.ts'
import { sendRaw } from '../support/raw-http.ts'
import { type TlsFiles, type TlsPairName, tlsFilesIn, tlsPair } from '../support/tls-pairs.ts'

const CA = (['first', 'second'] as const).map((name) => tlsPair(name).cert)
const EXPIRES = { first: 4_922_899_200, second: 4_891_363_200 }
const NEW = 'serving the TLS certificate of the files'
/** How often the tests with two workers change the certificate. */
const CHANGES = 3
const KEPT = 'keeping the previous TLS certificate'

/** Opens a connection that verifies the certificate. */
async function secured(baseUrl: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(baseUrl)
  const socket = connect({ host, port: Number(port), ca: CA, ...options })
  socket.setEncoding('utf8')
  await once(socket, 'secureConnect')
  return socket
}

/** Returns the common name of the certificate that a new connection gets. */
async function nameAt(baseUrl: string): Promise<string> {
  const socket = await secured(baseUrl)
  const { subject } = socket.getPeerCertificate()
  socket.destroy()
  return String(subject.CN)
}

/** Sends a request, and returns its status and body. Verifies the certificate. */
async function get(url: string): Promise<{ readonly status: number; readonly text: string }> {
  const sent = request(url, { ca: CA, agent: false })
  sent.end()
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const piece of response.setEncoding('utf8')) text += piece
  return { status: response.statusCode, text }
}

const problemsIn = (program: RunningProgram): readonly string[] =>
  logged(program, KEPT).map((line) => (line as unknown as { readonly problem: string }).problem)

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let files: TlsFiles
  before(() => {
    files = tlsFilesIn(program.directory)
  })

  describe('two workers', () => {
    let service: RunningProgram
    let metricsUrl: string
    before(async () => {
      await files.write(tlsPair('first'))
      service = await program.start({
        ...files.environment,
        RATAFIA_WORKERS: '2',
        RATAFIA_METRICS_PORT: '0',
      })
      await crewOf(service)
      const [, url] = /"url":"([^"]+)","msg":"serving metrics"/.exec(service.stderr()) ?? []
      metricsUrl = url ?? assert.fail('no metrics')
    })
    const hup = (pid = service.child.pid) => process.kill(pid ?? assert.fail('no process'), 'SIGHUP')
    /** Waits until every worker serves this certificate. */
    const allServe = (name: keyof typeof EXPIRES) =>
      eventually(`both serve ${name}`, async () => {
        const samples = await scrape(metricsUrl)
        return ['1', '2'].every(
          (worker) =>
            samples.get(`ratafia_tls_certificate_expiry_timestamp_seconds{worker="${worker}"}`) ===
            EXPIRES[name],
        )
      })

    test('listens on https, and answers only there', async () => {
      assert.match(service.stdout(), /^ratafia listening on https:\/\/127\.0\.0\.1:\d+\n/)
      assert.match(service.stdout(), /^ {2}Console: https:\/\/127\.0\.0\.1:\d+\/console\/$/m)
      assert.deepEqual(await get(`${service.baseUrl}/health/ready`), {
        status: 200,
        text: '{"status":"ready"}',
      })
      const { text } = await get(`${service.baseUrl}/`)
      assert.equal(JSON.parse(text).links.self, service.baseUrl)
    })

    test('answers plain HTTP with a 400 that names https, and closes other connections', async () => {
      const [answer] = await sendRaw(
        service.baseUrl.replace('https', 'http'),
        'POST /api/v2/tokens HTTP/1.1\r\nHost: x\r\n\r\n',
      )
      assert.deepEqual([answer?.status, answer?.closed], [400, true])
      assert.match(String(answer?.body), /This port serves only https/)
      const { port } = new URL(service.baseUrl)
      for (const sent of ['SSH-2.0-x\r\n', '\u0016\u0003\u0001\u0000\u0005hello', '\0'.repeat(5_000)]) {
        const socket = connectTcp(Number(port), '127.0.0.1')
        socket.on('error', () => {}).resume()
        socket.write(sent)
        await once(socket, 'close')
      }
      for (const maxVersion of ['TLSv1', 'TLSv1.1'] as const) {
        const old = { minVersion: 'TLSv1', maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' } as const
        await assert.rejects(secured(service.baseUrl, old), { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' })
      }
      const weak = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' } as const
      await assert.rejects(secured(service.baseUrl, weak), {
        code: 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
      })
      const socket = await secured(service.baseUrl, { maxVersion: 'TLSv1.2' })
      assert.equal(socket.getProtocol(), 'TLSv1.2')
      socket.destroy()
      assert.equal((await get(`${service.baseUrl}/health/live`)).status, 200)
    })

    test('SIGHUP to the supervisor changes the certificate of every worker, and cuts no connection', async () => {
      await allServe('first')
      const before = await secured(service.baseUrl)
      await files.write(tlsPair('second'))
      hup()
      await allServe('second')
      assert.equal(await nameAt(service.baseUrl), 'Test of TLS: second')
      before.write('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      assert.match(String(await once(before, 'data')), /^HTTP\/1\.1 200 OK/)
      // Workers can serve it before the supervisor's line arrives here. The last test counts the lines.
      await eventually('it is logged', () => logged(service, NEW).length > 0)
    })

    test('SIGHUP to a worker does the same', async () => {
      const pids = workersOf(service)
      await files.write(tlsPair('first'))
      hup(pids[0])
      await allServe('first')
      assert.deepEqual(workersOf(service), pids)
    })

    test('after an unusable change, workers keep the pair, also one that replaces another', async () => {
      const log = problemsIn(service).length
      for (const spoil of [
        () => writeFile(files.key, tlsPair('second').key),
        () => files.write(tlsPair('expired')),
        () => files.write(tlsPair('second')).then(() => chmod(files.key, 0o644)),
        () => truncate(files.cert),
      ]) {
        const count = problemsIn(service).length
        await spoil()
        hup()
        await eventually('it is logged', () => problemsIn(service).length > count)
      }
      assert.equal(problemsIn(service).length, log + 4)
      assert.doesNotMatch(service.stderr(), /PRIVATE KEY/)
      const [pid = assert.fail('no worker')] = workersOf(service)
      process.kill(pid, 'SIGKILL')
      await eventually('it is replaced', () => {
        const pids = workersOf(service)
        return pids.length === 2 && !pids.includes(pid)
      })
      await allServe('first')
      const { port } = new URL(service.baseUrl)
      const { stdout } = await program.run('status', {
        environment: { ...files.environment, RATAFIA_PORT: port },
      })
      assert.match(
        stdout,
        /^attention +certificates: +The certificate for https was not replaced .*cert\.pem /m,
      )
      await files.write(tlsPair('second'))
      const still = await program.run('status', { environment: { ...files.environment, RATAFIA_PORT: port } })
      assert.match(still.stdout, /^attention +certificates: .* still serves another one than .*cert\.pem\./m)
      hup()
      await allServe('second')
      const good = await program.run('status', { environment: { ...files.environment, RATAFIA_PORT: port } })
      assert.match(good.stdout, /^ok +service: +https:.* accepts requests\.$/m)
      assert.match(good.stdout, /^ok +certificates: +1 for https; the first expires at 2125-01-01/m)
    })

    test('ratafia health asks over TLS without verifying the name', async () => {
      const { port } = new URL(service.baseUrl)
      const environment = {
        ...files.environment,
        RATAFIA_PORT: port,
        RATAFIA_BASE_URL: 'https://store.example.com',
      }
      await program.says('health', `https://127.0.0.1:${port} accepts requests.\n`, { environment })
      await program.refuses(
        'health',
        `ratafia: http://127.0.0.1:${port} does not accept requests: This port serves only https. Use an address that begins with https://.\n`,
        1,
        { environment: { RATAFIA_PORT: port } },
      )
    })

    test('at the end, it answers requests in flight and closes kept connections', async () => {
      const silent = connectTcp(Number(new URL(service.baseUrl).port), '127.0.0.1')
      await once(silent, 'connect')
      const kept = await secured(service.baseUrl)
      kept.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
      await once(kept, 'data')
      const busy = await secured(service.baseUrl)
      busy.write(
        'POST /api/v2/tokens HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
      )
      // Once the worker has answered a later request on a kept connection, it has this one.
      await get(`${service.baseUrl}/health/live`)
      let answer = ''
      busy.on('data', (text: string) => {
        answer += text
      })
      const closed = Promise.all([once(kept, 'close'), once(busy, 'close'), once(silent, 'close')])
      const ended = service.end('SIGTERM')
      await eventually('it stops', () => service.stderr().includes('finishing the requests in flight'))
      busy.write('}')
      const { code, stderr } = await ended
      await closed
      assert.equal(code, 0)
      assert.equal(logged(service, NEW).length, CHANGES, 'one process logs each change, once')
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
      assert.match(answer, /\r\nconnection: close\r\n/i)
      assert.doesNotMatch(stderr, /Unhandled|Error:/)
    })
  })

  test('one process reads the files on SIGHUP; the identity service has TLS too', async () => {
    await files.write(tlsPair('first'))
    const service = await program.start(files.environment, ['identity', 'serve'])
    assert.match(service.baseUrl, /^https:/)
    assert.equal((await get(`${service.baseUrl}/discharge/info`)).status, 200)
    await files.write(tlsPair('second'))
    service.child.kill('SIGHUP')
    await eventually('it serves the second', async () => (await nameAt(service.baseUrl)).endsWith('second'))
    assert.equal((await service.end('SIGTERM')).code, 0)
  })

  test('an expired certificate is served at the start, with a warning', async () => {
    await files.write(tlsPair('expired'))
    const service = await program.start(files.environment)
    const socket = await secured(service.baseUrl, { rejectUnauthorized: false })
    assert.equal(String(socket.authorizationError), 'CERT_HAS_EXPIRED')
    socket.destroy()
    const { code, stderr } = await service.end('SIGTERM')
    assert.equal(code, 0)
    assert.match(stderr, /cert\.pem expired at 2021-01-01T00:00:00\.000Z, so clients refuse it/)
  })

  for (const workers of ['1', '2']) {
    test(`does not start without a usable pair, with ${workers} workers`, async () => {
      await files.write({ cert: tlsPair('first').cert, key: tlsPair('second').key })
      const environment = { ...files.environment, RATAFIA_WORKERS: workers }
      const { code, stdout, stderr } = await program.run('serve', { environment })
      assert.deepEqual([code, stdout], [4, ''])
      assert.match(
        stderr,
        /^ratafia: RATAFIA_TLS_KEY: \S+ is not the key of the first certificate in \S+\. Name /m,
      )
    })
  }

  test('config check finds the same, and what contradicts TLS', async () => {
    const pair = (cert: TlsPairName, key: TlsPairName) => ({
      cert: tlsPair(cert).cert,
      key: tlsPair(key).key,
    })
    await files.write(pair('first', 'second'))
    const whole = files.environment
    await program.refuses('config check', /^ratafia: RATAFIA_TLS_KEY: .* is not the key /, 4, {
      environment: whole,
    })
    await files.write(pair('first', 'first'))
    await program.says('config check', /Clients reach the service at https:/, { environment: whole })
    const { RATAFIA_TLS_CERT, RATAFIA_TLS_KEY } = whole
    for (const [environment, message] of [
      [{ RATAFIA_TLS_CERT }, 'RATAFIA_TLS_CERT has no effect without RATAFIA_TLS_KEY'],
      [{ RATAFIA_TLS_KEY }, 'RATAFIA_TLS_KEY has no effect without RATAFIA_TLS_CERT'],
      [
        { ...whole, RATAFIA_BASE_URL: 'http://store.example.com' },
        'RATAFIA_BASE_URL is http, but with RATAFIA_TLS_CERT',
      ],
    ] as const) {
      await program.refuses('config check', new RegExp(`^ratafia: ${message}`), 4, { environment })
    }
    await chmod(files.key, 0o644)
    await program.refuses(
      'config check',
      /every user of this machine can open .*key\.pem\. Run chmod o= /,
      4,
      {
        environment: whole,
      },
    )
  })
})
