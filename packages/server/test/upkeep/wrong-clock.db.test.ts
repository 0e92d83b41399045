/**
 * The clock of a node is wrong and the database's is right: nothing is stored, compared or removed by the
 * node's clock (decision 58). On PostgreSQL only, because a SQLite file is on the machine with the clock.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { openInstallation } from '../../src/start/installation.ts'
import { jobsOf } from '../../src/start/service/jobs.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { createTelemetry } from '../../src/telemetry/telemetry.ts'
import { eachDatabase, type Fresh } from '../support/databases.ts'
import {
  ACME,
  AUTH,
  deviceKey,
  freshDeviceKey,
  getNonce,
  getRequestId,
  openSession,
  register,
  registered,
  sessionBody,
  sessionOf,
  sessionRequest,
  textOf,
  withAcme,
} from '../support/devices.ts'
import { startNode, type TestNode } from '../support/nodes.ts'
import { testProgram } from '../support/program.ts'
import {
  addPerson,
  bearing,
  call,
  dischargeFor,
  exchangeSlice,
  getRoot,
  refusalOf,
  type TestService,
} from '../support/service.ts'
import { withShiftedClock } from '../support/shifted-clock.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Differences that a node tolerates and still answers requests with. */
const SERVING = {
  'four and a half minutes ahead': 4.5 * MINUTE,
  'four and a half minutes behind': -4.5 * MINUTE,
}
const REFUSING = {
  '20 minutes ahead': 20 * MINUTE,
  '20 minutes behind': -20 * MINUTE,
  '2 hours ahead': 2 * HOUR,
  '2 hours behind': -2 * HOUR,
  '40 days ahead': 40 * DAY,
  '40 days behind': -40 * DAY,
}

/** Declares a suite with its own database. */
function onPostgres(declare: (fresh: Fresh) => void): void {
  eachDatabase((kind, _open, fresh) => {
    if (kind === 'postgres') declare(fresh)
  })
}

const databaseTime = async ({ installation }: Pick<TestService, 'installation'>) => {
  const { rows } = await sql<{
    now: number
  }>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(
    installation.database.query,
  )
  return rows[0]?.now ?? assert.fail('no time')
}

/** The instant in a column of each type: a number of milliseconds, or the beginning of a UUID v7. */
const INSTANT: Readonly<Record<string, (column: RawBuilder<unknown>) => RawBuilder<unknown>>> = {
  bigint: (column) => sql`${column}`,
  text: (column) => sql`case when ${column} ~ ${UUID_V7}
    then ('x' || replace(left(${column}, 13), '-', ''))::bit(48)::bigint end`,
}
const UUID_V7 = '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'

/** Returns every instant after `since` in any table, with its table and column. Migrations ran before the test. */
async function instants({ installation: { database } }: Pick<TestService, 'installation'>, since: number) {
  const columns = await sql<{ table: string; column: string; type: string }>`
    select table_name as "table", column_name as "column", data_type as type from information_schema.columns
    where table_schema = 'public' and data_type in ('bigint', 'text')
    and table_name <> 'schema_migration'`.execute(database.query)
  const found: { readonly table: string; readonly column: string; readonly at: number }[] = []
  for (const { table, column, type } of columns.rows) {
    const instant = INSTANT[type]?.(sql.ref(column))
    const { rows } = await sql<{ at: number }>`
      select distinct ${instant} as at from ${sql.table(table)} where ${instant} > ${since}`.execute(
      database.query,
    )
    for (const { at } of rows) found.push({ table, column, at })
  }
  return found
}

for (const [differs, milliseconds] of Object.entries(SERVING)) {
  onPostgres((fresh) => {
    const program = testProgram(fresh)
    let service: TestService
    let began = 0
    before(async () => {
      // PostgreSQL runs on this machine, whose clock is right.
      began = Date.now()
      await withShiftedClock(milliseconds, async () => {
        service = await program.serve({
          RATAFIA_TOKEN_LIFETIME: '10d',
          RATAFIA_DEVICE_SESSION_LIFETIME: '7d',
        })
        await withAcme(service.installation)
      })
    })
    const shifted = (work: () => Promise<void>) => () => withShiftedClock(milliseconds, work)

    test(
      `a node whose clock is ${differs} issues and stores everything with the database's time`,
      shifted(async () => {
        const person = await addPerson(service, 'ada')
        const slice = await dischargeFor(service, await getRoot(service), person)
        const token = await exchangeSlice(service, slice)
        assert.equal(
          (await call(service, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })).status,
          200,
        )
        const serial = await registered(service, { key: deviceKey() })
        await sessionOf(service, { serial, key: deviceKey() })
        const model = `${ACME.brandId}/${ACME.model}`
        for (const words of [
          ['accounts', 'add', 'grace', '--email', 'g@example.org', '--name', 'G', '--no-password'],
          ['api-keys', 'add', model, '--label', 'x', '--expires', '1h'],
          ['grants', 'add', 'ada', 'auditor', '--expires', '2h'],
          ['accounts', 'reset-link', 'ada', '--url', 'https://login.example.org'],
          ['keys', 'rotate'],
        ]) {
          const { code, stderr } = await program.run(words)
          assert.equal(code, 0, `${words.join(' ')}: ${stderr}`)
          assert.match(
            stderr,
            /warning: The clock of this machine is .* the database's\. This command uses the database's\./,
          )
        }
        /** The lifetimes of what expires later. */
        const lives = [0, HOUR, 2 * HOUR, DAY, 7 * DAY, 10 * DAY]
        const all = await instants(service, began - DAY)
        // Measured afterwards, because the service records every half minute that it runs.
        const took = (await databaseTime(service)) - began
        const wrong = all.filter(
          ({ at }) => !lives.some((life) => at >= began + life && at <= began + life + took),
        )
        assert.deepEqual(
          wrong.map(({ table, column, at }) => `${table}.${column}: ${(at - began) / 1000} s`),
          [],
        )
        const tables = new Set(all.map(({ table }) => table))
        for (const table of [
          'token_session',
          'device',
          'device_session',
          'audit_entry',
          'account',
          'root_key',
        ]) {
          assert.ok(tables.has(table), `${table} has an instant`)
        }
      }),
    )
  })
}

onPostgres((fresh) => {
  let offset = 0
  let wrong: TestNode
  before(async () => {
    const machineClock = () => new Date(Date.now() + offset)
    wrong = await startNode(await fresh.target(), { RATAFIA_RATE_LIMITS: 'off' }, { machineClock })
  })
  after(() => wrong.close())

  for (const [differs, milliseconds] of Object.entries(REFUSING)) {
    test(`a node whose clock is ${differs} answers no requests and gives the reason, until the clock is right again`, async () => {
      offset = milliseconds
      for (const [method, path] of [
        ['POST', '/api/v2/tokens'],
        ['POST', `${AUTH}/nonces`],
        ['POST', `${AUTH}/request-id`],
        ['GET', '/api/v2/tokens/whoami'],
        ['GET', '/'],
      ] as const) {
        const response = await fetch(`${wrong.baseUrl}${path}`, { method })
        assert.equal(response.status, 503, path)
        await response.body?.cancel()
      }
      const { status, message } = refusalOf(await call(wrong, 'GET', '/health/ready'))
      assert.equal(status, 503)
      assert.match(
        message,
        /^The clock of this machine is .* the database's\. Set both by NTP: .* answers no requests\.$/,
      )
      assert.equal((await call(wrong, 'GET', '/health/live')).status, 200)
      offset = 0
      assert.equal((await call(wrong, 'GET', '/health/ready')).status, 200)
      await getNonce(wrong)
    })
  }
})

onPostgres((fresh) => {
  let node: TestNode
  before(async () => {
    node = await startNode(await fresh.target(), { RATAFIA_RATE_LIMITS: 'off' })
    await withAcme(node.installation)
  })
  after(() => node.close())

  /** Runs all jobs once, whatever the clock shows; `run-jobs.ts` would not run them. */
  const work = async () => {
    const log = createLog({ level: 'silent', pretty: false })
    const { config } = node.installation
    const installation = await openInstallation({ config, log })
    try {
      const release = '1.0.0'
      const telemetry = await createTelemetry({ log, release, tracing: undefined, metrics: false })
      for (const job of jobsOf(installation, log, telemetry)) await job.run(async () => true)
    } finally {
      await installation.close()
    }
  }

  for (const [differs, milliseconds] of Object.entries(REFUSING)) {
    test(`periodic work on a machine whose clock is ${differs} does not remove rows that protect against replay`, async () => {
      const key = await freshDeviceKey()
      const requestId = await getRequestId(node)
      const serial = await registered(node, { key, requestId })
      const nonce = await getNonce(node)
      const { body } = await openSession(node, { serial, key, nonce })
      const person = await addPerson(node)
      const slice = await dischargeFor(node, await getRoot(node), person)
      const token = await exchangeSlice(node, slice)
      await withShiftedClock(milliseconds, work)
      const again = refusalOf(await register(node, { key: await freshDeviceKey(), requestId }))
      assert.equal(again.code, 'invalid-nonce')
      const later = sessionRequest({
        ...{ nonce, serial: serial.fields.serial, key },
        headers: { timestamp: '2027-01-01T00:00:00Z' },
      })
      const replayed = refusalOf(
        await call(node, 'POST', `${AUTH}/sessions`, {
          body: {
            ...(await sessionBody(node, { serial, key, nonce })),
            'device-session-request': textOf(later),
          },
        }),
      )
      assert.equal(replayed.code, 'invalid-nonce')
      assert.equal((await openSession(node, { serial, key, previous: body.macaroon })).status, 200)
      assert.equal(
        (await call(node, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })).status,
        200,
      )
    })
  }
})
