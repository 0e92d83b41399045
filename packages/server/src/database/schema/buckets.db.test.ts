/** What migration 0012 makes of rows from before it. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { eachDatabase } from '../../../test/support/databases.ts'
import { bucketOf } from '../../bucket.ts'
import { type Database, migrate } from '../index.ts'
import { migrations } from './migrations/index.ts'

const [one, two, three, four] = ['A', 'b', '-', '_'].map((first) => `${first}9`.padEnd(64, 'x')) as [
  string,
  string,
  string,
  string,
]

/** Of one model: id, serial, key, status and revision. */
const DEVICES = [
  ['former', 'S-1', one, 'superseded', 4],
  ['holder', 'S-1', two, 'active', 2],
  ['revoked', 'S-2', three, 'revoked', 0],
  ['imported', 'S-3', four, 'active', null],
  ['nobody', 'S-4', one, 'superseded', 1],
  ['waits', 'S-5', one, 'pending', null],
] as const

/** Serial, revision, device. */
const ASSERTIONS = [
  ['S-1', 1, 'former'],
  ['S-1', 2, 'holder'],
  ['S-2', 7, 'revoked'],
] as const

eachDatabase((kind, _open, { openEmpty }) => {
  let database: Database
  const run = (statement: string) => sql.raw(statement).execute(database.query)
  const bytes = (text: string) => {
    const hex = Buffer.from(text).toString('hex')
    return kind === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`
  }
  const quoted = (text: string) => `'${text}'`

  before(async () => {
    database = await openEmpty()
    await migrate(database, { migrations: migrations.slice(0, 11) })
    for (const [id, serial, key, status, revision] of DEVICES) {
      const request = status === 'pending' ? bytes('request') : 'null'
      await run(`insert into device
          (id, brand_id, model, serial, device_key_id, status, revision, origin, request, registered_at)
        values (${[id, 'acme', 'mini', serial, key, status].map(quoted).join()}, ${revision}, 'import', ${request}, 5)`)
      await run(`insert into device_session (session_id, device_id, chain_id, nonce_hash, request_hash, macaroon_id,
          opened_at, expires_at, address, user_agent)
        values ('s-${id}', '${id}', 's-${id}', ${bytes(id)}, ${bytes('r')}, ${bytes('m')}, 1, 2, '', '')`)
      await run(`insert into device_registration values (${bytes(id)}, '${id}', ${bytes('r')}, 5, '', '')`)
      await run(`insert into clone_evidence values ('${id}', 'second-key', 'other', 1, 2, 3, '{}')`)
    }
    for (const [serial, revision, id] of ASSERTIONS) {
      await run(`insert into serial_assertion
        values ('acme', 'mini', '${serial}', ${revision}, '${id}', ${bytes('text')}, 'acme', 'key', 5)`)
    }
    assert.equal((await migrate(database))[0], '0012-contract-buckets')
  })

  test('every row is in the bucket of its device key', async () => {
    const { query } = database
    const buckets = new Map<string, number>(DEVICES.map(([id, , key]) => [id, bucketOf(key)]))
    assert.equal(new Set(buckets.values()).size, 4)
    const devices = await query.selectFrom('device').select(['id', 'bucket', 'registered_at']).execute()
    assert.deepEqual(new Map(devices.map(({ id, bucket }) => [id, bucket])), buckets)
    assert.ok(devices.every(({ registered_at }) => registered_at === 5))
    for (const table of ['device_session', 'device_registration', 'clone_evidence'] as const) {
      const rows = await query.selectFrom(table).select(['device_id', 'bucket']).execute()
      assert.deepEqual(new Map(rows.map((row) => [row.device_id, row.bucket])), buckets, table)
    }
    const assertions = await query.selectFrom('serial_assertion').select(['device_id', 'bucket']).execute()
    assert.equal(assertions.length, ASSERTIONS.length)
    for (const { device_id, bucket } of assertions) assert.equal(bucket, buckets.get(device_id))
    const used = await query.selectFrom('used_request_id').select('used_at').execute()
    assert.deepEqual(
      used.map(({ used_at }) => used_at),
      DEVICES.map(() => 5),
    )
  })

  test('each serial that was given has its holder, and the highest revision of all that had it', async () => {
    const rows = await database.query
      .selectFrom('serial_holder')
      .select(['serial', 'device_id', 'bucket', 'revision'])
      .orderBy('serial')
      .execute()
    assert.deepEqual(rows, [
      { serial: 'S-1', device_id: 'holder', bucket: bucketOf(two), revision: 4 },
      { serial: 'S-2', device_id: 'revoked', bucket: bucketOf(three), revision: 7 },
      { serial: 'S-3', device_id: 'imported', bucket: bucketOf(four), revision: null },
      { serial: 'S-4', device_id: null, bucket: null, revision: 1 },
    ])
  })
})
