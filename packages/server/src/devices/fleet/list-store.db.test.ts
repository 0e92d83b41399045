/** Guarantee: a page of a list reads a bounded number of rows, for every filter and size of the register. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { DeviceId } from '@ratafia/api'
import { PostgresAdapter, type RawBuilder, sql } from 'kysely'
import { deciding } from '../../../test/support/authorities.ts'
import { eachDatabase } from '../../../test/support/databases.ts'
import { rowsRead } from '../../../test/support/rows-read.ts'
import { storesWith } from '../../../test/support/stores.ts'
import { addressKey } from '../../addresses/address.ts'
import { addressRange } from '../../addresses/address-classes.ts'
import { bucketOf } from '../../bucket.ts'
import { type Database, insertMany, inTransaction } from '../../database/index.ts'
import { activityStore } from '../activity/activity-store.ts'
import { LIST_SORTS, type ListFilter, type ListPosition } from './list-filter.ts'
import { listFleet } from './list-fleet.ts'
import { listStore } from './list-store.ts'
import { fromFew } from './list-way-store.ts'

const DEVICES = 8000
const MOST_ROWS = 100
const LIMIT = 10
/** The limit for all statements of a page: counts of three indexes, a window twice, and lookups for its rows. */
const MOST_READ = 8 * MOST_ROWS

const FILTERS: Readonly<Record<string, ListFilter>> = {
  'no filter': {},
  brand: { brands: ['acme'] },
  model: { models: [{ brandId: 'acme', model: 'm1' }] },
  status: { statuses: ['active'] },
  'serial prefix': { serialPrefix: 'S' },
  'a part of every serial': { search: 'S-' },
  'a part of many serials': { search: '-1' },
  'a part of some serials': { search: '123' },
  'a part of one serial': { search: '-1234' },
  'a part of no serial': { search: '12-S' },
  'a part of one serial, of a brand': { search: '-1234', brands: ['acme'] },
  'text that can be a key, of a brand': { search: '-1234567', brands: ['acme'] },
  'an id': { search: '019a0000-0000-7000-8000-000000001234' },
  'an id, of a brand': { search: '019a0000-0000-7000-8000-000000001235', brands: ['acme'] },
  'text in no serial, with parts that many have': { search: `S-${'1'.repeat(60)}` },
  'never had a session': { withoutSession: true },
  'a session since': { sessionSince: new Date(1) },
  'an address that no device had': { pastAddress: '203.0.113.1' },
  'a kind of evidence': { evidenceKinds: ['two-chains'] },
  'no decider': { decidedBy: ['unknown'] },
  origin: { origins: ['session'] },
  quarantined: { quarantined: true },
  'a range without devices': { addresses: ranges('203.0.113.0/24') },
  'a range with all devices': { addresses: ranges('0.0.0.0/0') },
  'never seen': { neverSeen: true },
  'seen late': { seenSince: new Date(DEVICES - 3) },
  'seen early': { seenUntil: new Date(2) },
  'seen any time': { seenSince: new Date(1) },
  evidence: { evidence: true },
  'no evidence': { evidence: false },
  registered: { registeredSince: new Date(DEVICES / 2) },
  'several that exclude each other': {
    decidedBy: ['unknown'],
    seenSince: new Date(1),
    addresses: ranges('::/0'),
  },
}

function ranges(text: string) {
  return [addressRange(text) ?? assert.fail(text)]
}

eachDatabase((kind, open) => {
  let database: Database
  before(async () => {
    database = await open()
    const indexes = Array.from({ length: DEVICES }, (_, index) => index)
    const keys = indexes.map((index) => String(index).padStart(4, '0').padEnd(64, 'k'))
    const id = (index: number) => `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}` as DeviceId
    const own = (index: number) => ({
      bucket: bucketOf(keys[index] ?? ''),
      brand_id: index % 2 ? 'acme' : 'best',
    })
    const scattered = (index: number) => (index * 4001) % DEVICES
    await insertMany(
      database.query,
      'device',
      indexes.map((index) => ({
        ...{ id: id(index), ...own(index), model: `m${index % 3}`, serial: `S-${scattered(index)}` },
        ...{ device_key_id: keys[index] ?? '', status: 'active', origin: 'import', registered_at: index },
      })),
    ).execute()
    await insertMany(
      database.query,
      'device_activity',
      indexes.map((index) => ({
        ...{ device_id: id(index), ...own(index), last_seen_at: 1 + scattered(index) },
        ...{ address: '192.0.2.1', address_key: addressKey('192.0.2.1') ?? null },
        evidence_at: index % 2 ? index : null,
      })),
    ).execute()
    // Like a large register after its first minutes.
    if (kind === 'postgres') await sql`analyze`.execute(database.query)
  })

  for (const sort of LIST_SORTS) {
    for (const [name, filter] of Object.entries(FILTERS)) {
      test(`reads a bounded number of rows for ${name}, sorted by ${sort}`, async () => {
        await inTransaction(database.query, async (query) => {
          const deps = storesWith({
            deviceLists: listStore({ query }),
            activities: activityStore({ query }),
            mostRows: MOST_ROWS,
          })
          const read = async () =>
            (await rowsRead(query, 'device')) + (await rowsRead(query, 'device_activity'))
          let after: ListPosition | undefined
          for (let page = 0; page < 3; page++) {
            const before = await read()
            const { next } = await listFleet(
              { authority: deciding(), filter, sort, after, limit: LIMIT },
              deps,
            )
            const rows = (await read()) - before
            assert.ok(rows <= MOST_READ, `page ${page} reads ${rows} of ${DEVICES} rows`)
            if (!next) return
            after = next
          }
        })
      })
    }
  }

  for (const brands of ['all', ['acme'], ['acme', 'best']] as const) {
    test(`plans for a part of a serial, of ${brands} brands, read the index of parts and look up its results`, async () => {
      await inTransaction(database.query, async (query) => {
        const [few] = listStore({ query }).waysOf({ search: '123' }, { brands, sort: '-registered' })
        assert.ok(few)
        const plan = await planOf(query, fromFew(few, sql`device.*`, MOST_ROWS))
        const [reads, others] =
          kind === 'postgres'
            ? // Scanning the empty partitions of a divided table costs nothing.
              [
                /Bitmap Index Scan on device_(\d+_)?serial_parts/,
                /Seq Scan[^(]*\(cost=(?!0\.00\.\.0\.00)|Index Scan using/,
              ]
            : [
                /SCAN searched_serial VIRTUAL TABLE INDEX 0:M0[\s\S]*SEARCH device USING INDEX/,
                /SCAN device\b/,
              ]
        assert.match(plan, reads)
        assert.doesNotMatch(plan, others)
      })
    })
  }
})

async function planOf(query: Database['query'], statement: RawBuilder<unknown>): Promise<string> {
  const explain =
    query.getExecutor().adapter instanceof PostgresAdapter ? sql`explain` : sql`explain query plan`
  const { rows } = await sql<object>`${explain} ${statement}`.execute(query)
  return rows.map((row) => Object.values(row).join(' ')).join('\n')
}
