/** Tests traces, configured by OpenTelemetry's variables and received by a collector of the test. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PROGRAM, ROOT } from '../../../../tools/test/programs.ts'
import { eachDatabase, type Fresh, oneDatabase } from '../support/databases.ts'
import {
  AUTH,
  freshDeviceKey,
  getRequestId,
  modelFile,
  registered,
  serialRequest,
  streamOf,
  withAcme,
} from '../support/devices.ts'
import { observedServices } from '../support/observed.ts'
import { type OtlpReceiver, otlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts'
import { testProgram } from '../support/program.ts'
import { addPerson, bearing, call, logIn, type TestService } from '../support/service.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

/** Starts a collector for the suite, which keeps what arrives. */
function tracing(fresh: Fresh) {
  let receiver: OtlpReceiver
  before(async () => {
    receiver = await otlpReceiver()
  })
  after(() => receiver.close())
  const observed = observedServices(fresh)
  return {
    receiver: () => receiver,
    /** Returns what arrived from a service that did `work` and stopped. */
    async traced(
      work: (service: TestService) => Promise<unknown>,
      environment: Readonly<Record<string, string>> = {},
    ): Promise<readonly ReceivedSpan[]> {
      const already = receiver.spans.length
      const service = await observed({
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        ...environment,
      })
      // A span ends when its connection is done with it; closing waits for those, and sends the rest.
      await work(service).finally(() => service.close())
      return receiver.spans.slice(already)
    },
  }
}

const find = (spans: readonly ReceivedSpan[], name: string) =>
  spans.find((span) => span.name === name) ?? assert.fail(spans.map((span) => span.name).join())
const childrenOf = (spans: readonly ReceivedSpan[], parent: ReceivedSpan) =>
  spans.filter(({ traceId, parentSpanId }) => traceId === parent.traceId && parentSpanId === parent.spanId)

eachDatabase((kind, _open, fresh) => {
  const { receiver, traced } = tracing(fresh)

  test('a request is a span named by the pattern of its route, and its statements are parts of it', async () => {
    let username = ''
    const spans = await traced(async (service) => {
      const person = await addPerson(service)
      username = person.username
      const token = await logIn(service, person)
      await call(service, 'GET', '/api/v2/tokens/whoami?secret=zzmarkzz', { headers: bearing(token) })
      await call(service, 'GET', '/v2/assertions/account/zzmarkzz')
    })
    // With a body, whose end arrives in a different context, and without.
    for (const name of ['POST /api/v2/tokens/exchange', 'GET /v2/assertions/:type/*']) {
      const request = find(spans, name)
      assert.equal(request.kind, 2)
      assert.equal(request.parentSpanId, undefined)
      const statements = childrenOf(spans, request)
      assert.ok(statements.length > 0, name)
      for (const { kind: spanKind, attributes } of statements) {
        assert.equal(spanKind, 3)
        assert.equal(attributes['db.system.name'], kind === 'sqlite' ? 'sqlite' : 'postgresql')
        assert.match(String(attributes['db.query.text']), /^(select|insert|update|begin|commit|with)/)
      }
    }
    const exchanged = find(spans, 'POST /api/v2/tokens/exchange')
    assert.equal(exchanged.attributes['http.route'], '/api/v2/tokens/exchange')
    assert.equal(exchanged.attributes['http.response.status_code'], 200)
    const insert = find(childrenOf(spans, exchanged), 'insert token_session')
    assert.match(
      String(insert.attributes['db.query.text']),
      kind === 'sqlite' ? /json_each\(\?\)/ : /json_to_recordset\(\$1/,
    )

    const refused = find(spans, 'GET /v2/assertions/:type/*')
    assert.equal(refused.attributes['ratafia.refusal'], 'assertion-not-found')
    assert.equal(refused.attributes['http.response.status_code'], 404)
    assert.equal(refused.status, 0, 'a refusal is not an error')
    for (const value of ['zzmarkzz', username]) {
      assert.ok(!JSON.stringify(spans).includes(value), `no value of a request or statement: ${value}`)
    }
    assert.equal(receiver().resource['service.name'], 'ratafia')
    assert.match(String(receiver().resource['service.version']), /^\d+\.\d+\.\d+/)
    assert.equal(receiver().requests.at(-1)?.path, '/v1/traces')
  })

  test('a body that arrives long after its headers does not change this', async () => {
    const spans = await traced(async (service) => {
      const headers = { 'content-type': 'application/x.ubuntu.assertion' }
      await withAcme(service.installation)
      const parts = [
        serialRequest({ requestId: await getRequestId(service), serial: 'LATE' }),
        modelFile.bytes,
      ]
      const stream = Buffer.from(streamOf(...parts))
      const late = new ReadableStream({
        start: async (controller) => {
          controller.enqueue(stream.subarray(0, 100))
          await sleep(100)
          controller.enqueue(stream.subarray(100))
          controller.close()
        },
      })
      await fetch(`${service.baseUrl}${AUTH}/devices`, {
        method: 'POST',
        headers,
        body: late,
        duplex: 'half',
      })
    })
    assert.ok(childrenOf(spans, find(spans, 'POST /api/v1/snaps/auth/devices')).length > 0)
  })

  test('statements of simultaneous requests do not mix', async () => {
    const spans = await traced(async (service) => {
      await Promise.all(
        Array.from({ length: 20 }, (_, at) => call(service, 'GET', `/v2/assertions/account/unknown-${at}`)),
      )
    })
    const requests = spans.filter(({ name }) => name === 'GET /v2/assertions/:type/*')
    assert.equal(requests.length, 20)
    assert.equal(new Set(requests.map(({ traceId }) => traceId)).size, 20)
    const counts = requests.map((request) => childrenOf(spans, request).length)
    assert.ok(Math.min(...counts) > 0)
    assert.deepEqual(new Set(counts).size, 1)
  })

  test('signing a serial is part of its registration, and finishes before the device is stored', async () => {
    const spans = await traced(async (service) => {
      await registered(service, { key: await freshDeviceKey(), serial: `T-${kind}` })
    })
    const registration = find(spans, 'POST /api/v1/snaps/auth/devices')
    const signing = find(childrenOf(spans, registration), 'sign serial')
    assert.equal(signing.kind, 1)
    find(childrenOf(spans, registration), 'insert device')
  })
})

oneDatabase((_kind, _open, fresh) => {
  const { receiver, traced } = tracing(fresh)

  describe('traceparent', () => {
    const ask =
      (...allFlags: readonly string[]) =>
      async (service: TestService): Promise<void> => {
        for (const flags of allFlags) {
          const headers = { traceparent: `00-${TRACE}-${PARENT}-${flags}` }
          await call(service, 'GET', '/openapi.json', { headers })
        }
      }
    const proxied = { RATAFIA_TRUSTED_PROXIES: '127.0.0.1' }

    test('follows a trace of a trusted proxy, and its decision not to record', async () => {
      const recorded = await traced(ask('00', '01', '00'), proxied)
      assert.deepEqual(
        recorded.map(({ name, traceId, parentSpanId }) => [name, traceId, parentSpanId]),
        [['GET /openapi.json', TRACE, PARENT]],
      )
    })

    test('ignores traces of other clients, which choose neither an id nor what is recorded', async () => {
      for (const environment of [{}, { RATAFIA_TRUSTED_PROXIES: '192.0.2.1' }]) {
        const spans = await traced(ask('00', '01'), environment)
        assert.deepEqual(
          spans.map(({ name }) => name),
          ['GET /openapi.json', 'GET /openapi.json'],
        )
        for (const { traceId, parentSpanId } of spans) {
          assert.notEqual(traceId, TRACE)
          assert.equal(parentSpanId, undefined)
        }
      }
      const never = { OTEL_TRACES_SAMPLER: 'parentbased_always_off' }
      assert.deepEqual(await traced(ask('01'), never), [])
      assert.equal((await traced(ask('01'), { ...proxied, ...never })).length, 1)
    })
  })

  test('does not trace health checks', async () => {
    assert.deepEqual(await traced((service) => call(service, 'GET', '/health/live')), [])
  })

  test('sends protobuf with the configured headers and the name of the service', async () => {
    const already = receiver().requests.length
    await traced((service) => call(service, 'GET', '/'), {
      OTEL_EXPORTER_OTLP_PROTOCOL: '',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-secret',
      OTEL_SERVICE_NAME: 'store-auth',
    })
    const [request] = receiver().requests.slice(already)
    assert.equal(request?.headers['content-type'], 'application/x-protobuf')
    assert.equal(request?.headers.authorization, 'Bearer collector-secret')
    assert.ok(request?.body.includes('store-auth'))
  })

  test('an unavailable collector does not change answers or delay the stop', async () => {
    const away = await otlpReceiver()
    await away.close()
    await traced(async (service) => assert.equal((await call(service, 'GET', '/')).status, 200), {
      OTEL_EXPORTER_OTLP_ENDPOINT: away.url,
    })
  })
})

describe('the SDK', () => {
  const program = testProgram()

  test('a collector that accepts spans and never answers delays neither requests nor the stop', async () => {
    const silent = createServer((socket) => socket.resume())
      .listen(0, '127.0.0.1')
      .unref()
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const service = await program.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      // Far longer than a supervisor waits for its workers, which it then kills.
      OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
      RATAFIA_WORKERS: '2',
    })
    const connected = once(silent, 'connection')
    const ask = async () => assert.equal((await fetch(`${service.baseUrl}/openapi.json`)).status, 200)
    for (let at = 0; at < 100; at++) await ask()
    await connected
    await ask()
    const { code, stderr } = await service.end('SIGTERM')
    assert.equal(code, 0, stderr)
    assert.ok(stderr.includes('finishing the requests in flight'))
  })

  // Runs the sources, because a bundle does not load its modules by name.
  const sources = testProgram(undefined, [process.execPath, join(ROOT, PROGRAM)])
  /** Prints the name of every module that is loaded. */
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(
    `import { registerHooks } from 'node:module'
     registerHooks({ resolve(name, context, next) {
       if (name.startsWith('@opentelemetry/sdk')) process.stderr.write('loads ' + name + '\\n')
       return next(name, context)
     } })`,
  )}`

  test('is not even loaded without an endpoint', async () => {
    const loads = async (environment: Readonly<Record<string, string>>) => {
      const service = await sources.start({ RATAFIA_WORKERS: '1', NODE_OPTIONS, ...environment })
      const { stderr } = await service.end('SIGTERM')
      return stderr.includes('loads @opentelemetry/sdk-trace')
    }
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
    assert.equal(await loads(endpoint), true)
    assert.equal(await loads({}), false)
  })
})
