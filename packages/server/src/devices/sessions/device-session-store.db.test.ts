/** The cost of opening a session on a device that has many others. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { mock, test } from 'node:test'
import { newDeviceSessionId } from '@ratafia/api'
import { sql } from 'kysely'
import { eachDatabase } from '../../../test/support/databases.ts'
import { rowsRead } from '../../../test/support/rows-read.ts'
import { type Database, insertMany, inTransaction } from '../../database/index.ts'
import { deviceStore } from '../device-store.ts'
import { newDevice } from '../new-device.ts'
import { deviceSessionStore } from './device-session-store.ts'

const MANY = 300
const NAME = { brandId: 'acme-brand', model: 'acme-classic', serial: 'S1', deviceKeyId: 'key' }
const START = Date.parse('2026-01-01T00:00:00Z')

/** A device with many sessions that each began a chain; the first chain continued after all others began. */
async function deviceWithMany(database: Database) {
  const own = { revision: 0, registeredAt: new Date(START) }
  const device = newDevice({ ...NAME, ...own, status: 'active', origin: 'session' })
  await deviceStore(database).add(device)
  const { id, bucket } = device
  const ids = Array.from({ length: MANY }, () => newDeviceSessionId(new Date()))
  const refreshed = newDeviceSessionId(new Date())
  const row = (session: string, at: number, chain: string) => ({
    ...{
      session_id: session,
      bucket,
      device_id: id,
      chain_id: chain,
      store: null,
      address: '::1',
      user_agent: '',
    },
    ...{ nonce_hash: randomBytes(32), request_hash: randomBytes(32), macaroon_id: randomBytes(32) },
    ...{ opened_at: START + at, expires_at: START + 1_000 },
  })
  const rows = [
    ...ids.map((session, at) => row(session, at, session)),
    row(refreshed, MANY, ids[0] ?? assert.fail()),
  ]
  await insertMany(database.query, 'device_session', rows).execute()
  await sql`analyze device_session`.execute(database.query)
  const [first, last] = [ids[0] ?? assert.fail(), ids.at(-1) ?? assert.fail()]
  return { first, last, refreshed }
}

eachDatabase((kind, open) => {
  test('opening a session reads only the sessions that it is compared with', async () => {
    const database = await open()
    const { first, last, refreshed } = await deviceWithMany(database)
    await inTransaction(database.query, async (query) => {
      const find = () =>
        deviceSessionStore({ query }).findHolder(NAME, { previous: first, at: new Date(START) })
      const before = await rowsRead(query, 'device_session')
      const found = await find()
      const after = await rowsRead(query, 'device_session')
      assert.deepEqual(found?.sessions.map(({ id }) => id).sort(), [first, last, refreshed].sort())
      assert.ok(after - before <= 10, `${after - before} rows of ${MANY}`)
    })
  })

  if (kind === 'sqlite') {
    test('a device and its sessions are found through indexes, however large the register is', async () => {
      const { prepare } = DatabaseSync.prototype
      const plans: string[] = []
      const prepared = mock.method(
        DatabaseSync.prototype,
        'prepare',
        function (this: DatabaseSync, text: string) {
          if (text.includes('asked')) {
            const plan = prepare.call(this, `explain query plan ${text}`).all()
            plans.push(...plan.map(({ detail }) => String(detail)))
          }
          return prepare.call(this, text)
        },
      )
      try {
        const database = await open()
        await deviceSessionStore(database).findHolder(NAME, { previous: undefined, at: new Date(START) })
      } finally {
        prepared.mock.restore()
      }
      const read = plans.filter((line) => /^(SCAN|SEARCH) /.test(line) && !line.startsWith('SCAN json_each'))
      assert.deepEqual([...new Set(read)].sort(), [
        'SEARCH device USING INDEX device_key (device_key_id=? AND brand_id=? AND model=?)',
        'SEARCH device_session USING COVERING INDEX device_session_chain (device_id=? AND bucket=?)',
        'SEARCH device_session USING INDEX device_session_chain (device_id=? AND bucket=? AND chain_id=?)',
        'SEARCH device_session USING INDEX device_session_device (device_id=? AND bucket=?)',
        'SEARCH device_session USING INDEX sqlite_autoindex_device_session_1 (session_id=? AND bucket=?)',
      ])
    })
  }
})
