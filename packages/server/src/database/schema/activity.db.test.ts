/** What migration 0019 knows of devices from before it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eachDatabase } from '../../../test/support/databases.ts'
import { migrate } from '../index.ts'
import { migrations } from './migrations/index.ts'

/** Origin, when it was registered, its last session that was removed, a session, evidence, whether it was removed. */
const DEVICES = {
  registered: ['registration', 10, null, null, null, null],
  'with a session': ['registration', 10, 20, 30, null, null],
  'whose sessions are gone': ['import', 10, 20, null, null, null],
  imported: ['import', 10, null, null, null, null],
  'imported, with evidence': ['import', 10, null, null, 40, null],
  removed: ['registration', 10, null, null, null, 50],
} as const

eachDatabase((kind, _open, { openEmpty }) => {
  test('devices were last seen when they registered or opened a session; imported ones never', async () => {
    const database = await openEmpty()
    const { query } = database
    const before = migrations.findIndex(({ name }) => name === '0019-activity')
    await migrate(database, { migrations: migrations.slice(0, before) })
    const bytes = (text: string) => {
      const hex = Buffer.from(text).toString('hex')
      return sql.raw(kind === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`)
    }
    for (const [id, [origin, registered, last, session, evidence, removed]] of Object.entries(DEVICES)) {
      await sql`insert into device (id, bucket, brand_id, model, serial, device_key_id, status, revision, origin,
          registered_at, last_session_at, removed_at)
        values (${id}, 7, 'acme', 'mini', ${id}, ${id}, 'revoked', 0, ${origin}, ${registered}, ${last}, ${removed})
      `.execute(query)
      if (session !== null) {
        await sql`insert into device_session (session_id, bucket, device_id, chain_id, nonce_hash, request_hash,
            macaroon_id, opened_at, expires_at, address, user_agent)
          values (${id}, 7, ${id}, ${id}, ${bytes(id)}, ${bytes('r')}, ${bytes('m')}, ${session}, 99, '::1', '')
        `.execute(query)
      }
      if (evidence !== null) {
        await sql`insert into clone_evidence values (${id}, 7, 'second-key', 'other', 1, ${evidence}, 3, '{}')
        `.execute(query)
      }
    }
    await migrate(database)
    const rows = await query.selectFrom('device_activity').selectAll().execute()
    assert.deepEqual(
      new Map(rows.map((row) => [row.device_id, [row.last_seen_at, row.evidence_at]])),
      new Map<string, readonly (number | null)[]>([
        ['registered', [10, null]],
        ['with a session', [30, null]],
        ['whose sessions are gone', [20, null]],
        ['imported, with evidence', [null, 40]],
      ]),
    )
    for (const { bucket, brand_id, address } of rows) {
      assert.deepEqual([bucket, brand_id, address], [7, 'acme', null])
    }
  })
})
