/**
 * Guarantee: if Citus distributes the device tables, concurrent requests share a statement only within a
 * bucket, and nothing about a device is cached. The tables here are not distributed: only the catalogue
 * claims it, which is all that a process checks.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { AssertionOf, PrivateKey } from '@ratafia/assertions'
import { sql } from 'kysely'
import { bucketOf } from '../../src/bucket.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  ACME,
  AUTH,
  addAcmeModel,
  freshDeviceKeys,
  presentingSession,
  registered,
  sessionBody,
  sessionOf,
  withAcme,
} from '../support/devices.ts'
import { testProgram } from '../support/program.ts'
import { recordStatements, stopStoringActivity } from '../support/recorded-statements.ts'
import { call, testService } from '../support/service.ts'
import { BUCKETED, SHARDED } from '../support/sharded-tables.ts'

const DEVICES = 6
const SESSIONS_EACH = 3

interface TestDevice {
  readonly key: PrivateKey
  readonly serial: AssertionOf<'serial'>
  readonly modelText: Uint8Array
}

eachDatabase((kind, open, fresh) => {
  if (kind === 'sqlite') return
  before(async () => {
    const { query } = await open()
    await sql`create table pg_dist_partition (logicalrelid regclass not null)`.execute(query)
    for (const table of SHARDED) {
      await sql`insert into pg_dist_partition values (${table}::regclass)`.execute(query)
    }
  })
  const service = testService(fresh)
  const program = testProgram(fresh)
  const devices: TestDevice[] = []
  before(async () => {
    stopStoringActivity(service)
    await withAcme(service.installation)
    const model = 'distributed'
    const modelText = await addAcmeModel(service.installation, model)
    for (const [index, key] of (await freshDeviceKeys(DEVICES)).entries()) {
      const serial = await registered(service, { model, modelText, key, serial: `D-${index}` })
      devices.push({ key, serial, modelText })
    }
    const buckets = new Set(devices.map(({ serial }) => bucketOf(serial.fields.deviceKeyId)))
    assert.ok(buckets.size > 1)
  })

  /** Returns the buckets of the devices in a statement's list. */
  const bucketsIn = (values: readonly unknown[]): readonly number[] =>
    values
      .filter((value) => typeof value === 'string' && value.startsWith('['))
      .flatMap((list) => JSON.parse(String(list)) as readonly { readonly bucket: number }[])
      .map(({ bucket }) => bucket)

  test('concurrent sessions share a statement if they are in one bucket', async () => {
    const bodies = await Promise.all(
      devices.flatMap((device) => Array.from({ length: SESSIONS_EACH }, () => sessionBody(service, device))),
    )
    const statements = await recordStatements(BUCKETED, async () => {
      const answers = bodies.map((body) => call(service, 'POST', `${AUTH}/sessions`, { body }))
      for (const { status } of await Promise.all(answers)) assert.equal(status, 200)
    })
    const lists = statements.map(({ values }) => bucketsIn(values)).filter((list) => list.length > 0)
    for (const list of lists) assert.equal(new Set(list).size, 1, list.join())
    assert.ok(
      lists.some((list) => list.length > 1),
      'no session shared a statement',
    )
  })

  test('a device session is verified each time', async () => {
    const [device = assert.fail()] = devices
    const headers = presentingSession(await sessionOf(service, device))
    const verify = () => call(service, 'GET', '/device-session', { headers })
    for (let again = 0; again < 3; again++) {
      const statements = await recordStatements(BUCKETED, async () => {
        assert.equal((await verify()).status, 200)
      })
      assert.equal(statements.length, 1)
    }
  })

  test('a register that is exported, emptied and imported again is unchanged', async () => {
    const file = (name: string) => join(program.directory, name)
    const run = async (...words: readonly string[]) => {
      const environment = { RATAFIA_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
      const { code, stdout, stderr } = await program.run(['devices', ...words], { environment })
      assert.equal(code, 0, stderr)
      return stdout
    }
    await run('export', file('first.csv'))
    const { query } = await open()
    for (const table of SHARDED.toReversed()) await sql`delete from ${sql.table(table)}`.execute(query)
    assert.equal(await run('import', file('first.csv')), `${DEVICES} devices added.\n`)
    await run('export', file('second.csv'))
    assert.equal(await readFile(file('second.csv'), 'utf8'), await readFile(file('first.csv'), 'utf8'))
    const again = `0 devices added; ${DEVICES} already in the register.\n`
    assert.equal(await run('import', file('first.csv')), again)
    const { devices: register } = service.installation
    assert.ok(await register.findHolder({ ...ACME, model: 'distributed', serial: 'D-0' }))
  })
})
