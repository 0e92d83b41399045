/** Tests `/health/live` and `/health/ready`, which load balancers request. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '../../src/config/config.ts'
import { startService } from '../../src/start/service/service.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { observedServices, scrape } from '../support/observed.ts'
import { call, refusalOf, testService } from '../support/service.ts'
import { silenceable } from '../support/silenceable.ts'

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh)
  const bookkeeping = async (statement: string) => {
    await sql.raw(statement).execute(service.installation.database.query)
  }

  const observed = observedServices(fresh)

  for (const [path, status] of [
    ['/health/live', 'live'],
    ['/health/ready', 'ready'],
  ] as const) {
    test(`GET and HEAD ${path}: ${status}, not cached`, async () => {
      const answer = await call(service, 'GET', path)
      assert.deepEqual([answer.status, answer.body], [200, { status }])
      assert.equal(answer.headers.get('content-type'), 'application/json')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      const head = await call(service, 'HEAD', path)
      assert.deepEqual([head.status, head.body], [200, undefined])
      const other = refusalOf(await call(service, 'POST', path))
      assert.deepEqual([other.status, other.code], [405, 'method-not-allowed'])
    })
  }

  test('is ready with a newer schema that only adds, but not with an older one or a newer one that removes', async () => {
    await bookkeeping("insert into schema_migration (name, ran_at) values ('9999-later', 0)")
    assert.equal((await call(service, 'GET', '/health/ready')).status, 200)
    await bookkeeping("update schema_migration set name = '9999-contract-it' where name = '9999-later'")
    const { message } = refusalOf(await call(service, 'GET', '/health/ready'))
    assert.equal(message, 'The schema of the database is for a newer release.')
    await bookkeeping("delete from schema_migration where name = '9999-contract-it'")
    await bookkeeping("update schema_migration set name = '0000-else' where name = '0001-schema'")
    assert.deepEqual(refusalOf(await call(service, 'GET', '/health/ready')), {
      status: 503,
      code: 'service-unavailable',
      message: 'The schema of the database is older than this release.',
    })
    assert.equal((await call(service, 'HEAD', '/health/ready')).status, 503)
    assert.equal((await call(service, 'GET', '/health/live')).status, 200)
    await bookkeeping("update schema_migration set name = '0001-schema' where name = '0000-else'")
    assert.equal((await call(service, 'GET', '/health/ready')).status, 200)
  })

  if (kind === 'postgres') {
    test('a node that stops becomes unready first, and receives changes while it still answers', async () => {
      const running = await observed({ RATAFIA_METRICS_PORT: '0', RATAFIA_SHUTDOWN_DELAY: '2s' })
      const hears = async () => (await scrape(running.metricsUrl)).get('ratafia_cache_usable') === 1
      await eventually('it receives changes', hears)
      const closed = running.close()
      try {
        assert.equal((await call(running, 'GET', '/health/ready')).status, 503)
        assert.ok(await hears())
      } finally {
        await closed
      }
    })

    test('a node whose schema matches starts while another process has the migration lock', async () => {
      const { config, database } = service.installation
      const log = createLog({ level: 'silent', pretty: false })
      await database.query.transaction().execute(async (query) => {
        await sql.raw('update schema_lock set id = 1 where id = 1').execute(query)
        const other = await startService({ config: { ...config, port: 0 }, log })
        await other.close()
      })
    })

    test('with a silent database it is unready within seconds, live, and ready again by itself', async () => {
      const target = await fresh.target()
      assert.ok(target.kind === 'postgres')
      const directory = await mkdtemp(join(tmpdir(), 'ratafia-health-'))
      after(() => rm(directory, { recursive: true, force: true }))
      const proxy = await silenceable(new URL(target.url))
      after(proxy.close)
      const config = readConfig({
        RATAFIA_PORT: '0',
        RATAFIA_DATA_DIR: directory,
        RATAFIA_DATABASE_URL: proxy.url,
        RATAFIA_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      })
      const database = { kind: 'postgres', url: proxy.url, limits: { answerMs: 3_000 } } as const
      const log = createLog({ level: 'silent', pretty: false })
      const running = await startService({ config: { ...config, database }, log })
      const ready = async () => (await call(running, 'GET', '/health/ready')).status === 200
      try {
        await eventually('it is ready', ready)
        proxy.silence(true)
        const answers = await Promise.all(
          Array.from({ length: 30 }, () => call(running, 'GET', '/health/ready')),
        )
        for (const answer of answers) {
          assert.deepEqual(refusalOf(answer), {
            status: 503,
            code: 'service-unavailable',
            message: 'The database does not answer.',
          })
          assert.equal(answer.headers.get('retry-after'), '1')
        }
        assert.equal((await call(running, 'GET', '/health/live')).status, 200)
        // 30 queries would fill the ten connections; the service's own work may need some.
        assert.equal(running.installation.database.pool().waiting, 0)
        proxy.silence(false)
        await eventually('it is ready again', ready)
      } finally {
        proxy.close()
        await running.close()
      }
    })
  }
})
