/** Tests `/metrics`: its contents, who can read it, and what it never contains; on both databases. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { addIssuer } from '../../src/ci/issuers/add.ts'
import { Unavailable } from '../../src/errors.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { observeDatabase } from '../../src/telemetry/telemetry.ts'
import { NO_TRACING } from '../../src/telemetry/tracing.ts'
import { disableSigningKey } from '../support/as-operator.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import { ACME, freshDeviceKey, register, registered, withAcme } from '../support/devices.ts'
import { eventuallyPasses } from '../support/eventually.ts'
import { Browser } from '../support/identity.ts'
import { type ObservedService, observedServices, scrape } from '../support/observed.ts'
import { sendRaw } from '../support/raw-http.ts'
import { addPerson, bearing, call, logIn } from '../support/service.ts'
import { silenceable } from '../support/silenceable.ts'
import { testIssuer } from '../support/test-issuer.ts'
import { discharging } from '../support/waiting-login.ts'

const METRICS = { RATAFIA_METRICS_PORT: '0' }

eachDatabase((kind, _open, fresh) => {
  const observed = observedServices(fresh)
  const issuer = testIssuer()
  let service: ObservedService
  before(async () => {
    service = await observed(METRICS)
  })
  const sample = async (name: string) => (await scrape(service.metricsUrl)).get(name)
  const counted = (name: string, value: number) =>
    eventuallyPasses(async () => assert.equal(await sample(name), value, name))

  test('the public port has no metrics, whether or not they are served elsewhere', async () => {
    const without = await observed()
    assert.equal(without.metricsUrl, undefined)
    for (const { baseUrl } of [without, service]) {
      assert.equal((await call({ baseUrl }, 'GET', '/metrics')).status, 404)
    }
    await without.close()
    const origin = new URL(service.metricsUrl ?? '')
    assert.notEqual(origin.port, new URL(service.baseUrl).port)
    assert.equal(origin.hostname, '127.0.0.1')
    assert.equal((await fetch(new URL('/', origin))).status, 404)
    assert.equal((await fetch(origin, { method: 'POST' })).status, 404)
    const { status, headers } = await fetch(origin)
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  })

  test('counts requests by the pattern of their route and their status', async () => {
    const token = await logIn(service, await addPerson(service))
    await call(service, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })
    await call(service, 'GET', '/v2/assertions/account/unknown')
    await call(service, 'GET', '/v2/assertions/account/unknown-too')
    await counted('ratafia_http_requests_total{method="GET",route="/api/v2/tokens/whoami",status="200"}', 1)
    await counted('ratafia_http_requests_total{method="GET",route="/v2/assertions/:type/*",status="404"}', 2)
    await counted(
      'ratafia_http_request_duration_seconds_count{method="GET",route="/v2/assertions/:type/*"}',
      2,
    )
    await counted('ratafia_refusals_total{route="/v2/assertions/:type/*",code="assertion-not-found"}', 2)
    assert.equal(await sample('ratafia_http_requests_in_flight'), 0)
  })

  test('counts refusals of every kind: by the identity service, without a route, before a request', async () => {
    await call(service, 'POST', '/identity/discharge')
    await counted('ratafia_refusals_total{route="/identity/discharge",code="bad request"}', 1)
    const { VisitURL } = (await discharging(service.baseUrl)).Info.InteractionMethods['browser-window']
    const browser = new Browser()
    const page = await browser.open(VisitURL)
    await browser.submit(page, 'login', { username: 'unknown', password: 'wrong horse' })
    await counted('ratafia_refusals_total{route="/identity/login",code="permission denied"}', 1)
    await call(service, 'GET', '/%zz')
    await counted('ratafia_refusals_total{route="(none)",code="invalid-request"}', 1)
    await call(service, 'PUT', '/api/v2/tokens')
    await counted('ratafia_refusals_total{route="(none)",code="method-not-allowed"}', 1)
    await sendRaw(service.baseUrl, 'no HTTP at all\r\n\r\n')
    await counted('ratafia_http_refused_early_total{code="invalid-request"}', 1)
  })

  test('counts a client that leaves before the answer as 499', async () => {
    const { hostname, port } = new URL(service.baseUrl)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write('POST /api/v2/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{')
    await eventuallyPasses(async () => assert.equal(await sample('ratafia_http_requests_in_flight'), 0))
    socket.destroy()
    await counted('ratafia_http_requests_total{method="POST",route="/api/v2/tokens",status="499"}', 1)
  })

  test('input from clients does not create series, in any path, method, query or header', async () => {
    const mark = 'zzmarkzz'
    await call(service, 'GET', `/${mark}?${mark}`, { headers: { [mark]: mark, authorization: mark } })
    await call(service, 'POST', '/api/v2/tokens', { body: { [mark]: mark } })
    await call(service, 'GET', `/v2/assertions/${mark}/${mark}`)
    await call(service, 'GET', `/identity/${mark}?did=${mark}`)
    await sendRaw(service.baseUrl, 'PROPFIND / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await eventuallyPasses(async () => {
      const page = await scrape(service.metricsUrl)
      assert.ok([...page.keys()].some((name) => name.includes('method="other"')))
      assert.deepEqual(
        [...page.keys()].filter((name) => name.includes(mark) || name.includes('PROPFIND')),
        [],
      )
    })
  })

  test('shows the database: statements, connections, whether it answers', async () => {
    await call(service, 'POST', '/api/v2/tokens', { body: {} })
    assert.equal(await sample('ratafia_database_up'), 1)
    assert.equal(await sample('ratafia_database_waiting'), 0)
    assert.equal(await sample('ratafia_database_connections_max'), kind === 'sqlite' ? 1 : 10)
    assert.ok(Number(await sample('ratafia_database_connections')) >= 1)
    assert.ok(Number(await sample('ratafia_database_statements_total{kind="select",outcome="ok"}')) > 1)
    assert.ok(Number(await sample('ratafia_database_wait_seconds_count{outcome="ok"}')) > 1)
  })

  test('shows what is cached and how old it can be', async () => {
    await eventuallyPasses(async () => assert.equal(await sample('ratafia_cache_usable'), 1))
    assert.ok(Number(await sample('ratafia_revocation_lag_seconds')) < 1)
    const token = await logIn(service, await addPerson(service))
    const hits = 'ratafia_cache_lookups_total{cache="login",outcome="hit"}'
    await eventuallyPasses(async () => {
      await call(service, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })
      assert.ok(Number(await sample(hits)) > 0)
    })
    assert.ok(Number(await sample('ratafia_cache_entries{cache="login"}')) > 0)
  })

  test('counts tables whose change notifications may be missing, and names them in the log', async () => {
    await counted('ratafia_cache_unannounced_tables', 0)
    const { query } = service.installation.database
    const on = kind === 'postgres' ? 'on agent' : ''
    await sql.raw(`drop trigger agent_announce_delete ${on}`).execute(query)
    const deaf = await observed(METRICS)
    await eventuallyPasses(async () => {
      const page = await scrape(deaf.metricsUrl)
      assert.equal(page.get('ratafia_cache_usable'), 1)
      assert.equal(page.get('ratafia_cache_unannounced_tables'), 1)
    })
    const lines = deaf
      .log()
      .split('\n')
      .filter((line) => line.includes('may miss changes of agent,'))
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /"level":40,/)
    await deaf.close()
  })

  if (kind === 'postgres') {
    test('shows when a database is unavailable, and when it is back', async () => {
      const target = await fresh.target()
      assert.ok(target.kind === 'postgres')
      const proxy = await silenceable(new URL(target.url))
      const away = await observed({ ...METRICS, RATAFIA_DATABASE_URL: proxy.url })
      assert.equal((await scrape(away.metricsUrl)).get('ratafia_database_up'), 1)
      proxy.close()
      await eventuallyPasses(async () => {
        const { status } = await call(away, 'GET', '/v2/assertions/account/unknown')
        assert.equal(status, 503)
      })
      const page = await scrape(away.metricsUrl)
      assert.equal(page.get('ratafia_database_up'), 0)
      const route = 'route="/v2/assertions/:type/*"'
      assert.ok(Number(page.get(`ratafia_refusals_total{${route},code="service-unavailable"}`)) > 0)
      await away.close()
    })
  }

  test('shows evidence of clones as it is recorded, and the devices that have some', async () => {
    await withAcme(service.installation)
    const evidence = (from: ObservedService) => async () => {
      const page = await scrape(from.metricsUrl)
      const of = (kind: string) => page.get(`ratafia_clone_evidence_total{kind="${kind}"}`)
      const devices = page.get('ratafia_devices_with_clone_evidence{kind="second-key"}')
      return [of('second-key'), of('two-chains'), devices, page.get('ratafia_devices_in_quarantine')]
    }
    assert.deepEqual(await evidence(service)(), [0, 0, 0, 0])
    await registered(service, { key: await freshDeviceKey(), serial: 'C-1' })
    for (const times of [1, 2]) {
      const other = await register(service, { key: await freshDeviceKey(), serial: 'C-1' })
      assert.equal(other.status, 400)
      await counted('ratafia_clone_evidence_total{kind="second-key"}', times)
    }
    const { devices } = service.installation
    const holder = await devices.findHolder({ ...ACME, serial: 'C-1' })
    assert.ok(holder && (await devices.setQuarantine(holder, new Date())))
    // They are counted once a minute, and when a process starts.
    const again = await observed(METRICS)
    assert.deepEqual(await evidence(again)(), [0, 0, 1, 1])
    await again.close()
  })

  test('shows the age of fetched keys of issuers', async () => {
    const jwks = JSON.stringify({ keys: [issuer.key.jwk] })
    await addIssuer({ url: issuer.url, kind: 'gitlab', authority: deciding() }, service.installation)
    await addIssuer(
      { url: 'https://cluster.example', kind: 'kubernetes', jwks, authority: deciding() },
      service.installation,
    )
    const again = await observed(METRICS)
    const page = await scrape(again.metricsUrl)
    await again.close()
    const [[name, age] = [], ...others] = [...page].filter(([name]) => name.includes('oidc_keys_age'))
    assert.equal(name, `ratafia_oidc_keys_age_seconds{issuer="${issuer.url}"}`)
    assert.ok(typeof age === 'number' && age >= 0, String(age))
    assert.deepEqual(others, [])
  })

  describe('signing', () => {
    test('shows how long a key can sign, before and after it is disabled', async () => {
      const lives = async () => {
        const again = await observed(METRICS)
        const page = await scrape(again.metricsUrl)
        await again.close()
        return [...page].filter(([name]) => name.startsWith('ratafia_signing_key_remaining_seconds'))
      }
      const [[name, remaining] = [], ...others] = await lives()
      assert.match(String(name), /\{account="acme-brand",key="[A-Za-z0-9_-]{64}"\}$/)
      assert.ok(Number(remaining) > 0)
      assert.deepEqual(others, [])

      await registered(service, { key: await freshDeviceKey(), serial: 'M-1' })
      await counted('ratafia_signing_duration_seconds_count{outcome="ok"}', 2)
      assert.equal(await sample('ratafia_signing_active'), 0)
      assert.equal(await sample('ratafia_signing_waiting'), 0)
      assert.equal(await sample('ratafia_signing_refused_total'), 0)

      const [key] = await service.installation.brands.keys()
      await disableSigningKey({ keyId: key?.keyId ?? '', force: true }, service.installation)
      assert.deepEqual(await lives(), [[name, 0]])
    })
  })
})

test('counts a statement that could not be sent differently from one that failed', async () => {
  const metrics = createMetrics({ release: '1', ofProcess: false })
  const { statement, acquire } = observeDatabase({ metrics, tracing: NO_TRACING }, 'sqlite')
  const throwing = (error: Error) => async () => {
    throw error
  }
  const up = async () => /^ratafia_database_up (\d)$/m.exec(await metrics.registry.metrics())?.[1]
  await statement('select 1', async () => 1)
  assert.equal(await up(), '1')
  await assert.rejects(statement('update "account" set x', throwing(new Unavailable('away'))), Unavailable)
  assert.equal(await up(), '0')
  await assert.rejects(statement('INSERT into "account"', throwing(new Error('constraint'))), /constraint/)
  assert.equal(await up(), '1')
  await assert.rejects(acquire(throwing(new Unavailable('away'))), Unavailable)
  assert.equal(await up(), '0')
  const text = await metrics.registry.metrics()
  for (const line of [
    'ratafia_database_statements_total{kind="select",outcome="ok"} 1',
    'ratafia_database_statements_total{kind="update",outcome="unavailable"} 1',
    'ratafia_database_statements_total{kind="insert",outcome="failed"} 1',
    'ratafia_database_wait_seconds_count{outcome="unavailable"} 1',
  ]) {
    assert.ok(text.includes(`${line}\n`), line)
  }
})
