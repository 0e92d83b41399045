/**
 * Fills a register as it looks after some years. It has devices of several brands: seen, pending, or with evidence of a
 * clone.
 */
import { sql } from 'kysely'
import { addressKey } from '../../packages/server/src/addresses/address.ts'
import { bucketOf } from '../../packages/server/src/bucket.ts'
import { insertMany } from '../../packages/server/src/database/index.ts'
import type { BenchInstallation } from '../services/installation.ts'
import { keyOf } from './fleet.ts'
import { groupsOf, opened } from './opened.ts'

export const [LARGE, MIDDLE, SMALL] = ['large-brand', 'middle-brand', 'small-brand'] as const
/** A model that has one in 2,000 of the devices. */
export const RARE = { brandId: LARGE, model: 'rare' } as const
/** The last known addresses of one in 20 devices (large), and of one in 200 (small). */
export const LARGE_BLOCK = '10.20.0.0/16'
export const SMALL_BLOCK = '10.30.1.0/24'

const DAY_MS = 86_400_000
/** The time of the newest registration, and of the latest sighting of a device. */
export const NOW = Date.parse('2026-06-01T00:00:00Z')
const REGISTERED_FOR_MS = 700 * DAY_MS

const GROUP = 5_000

/** Adds devices that registered at an even pace over two years. All but one in 20 were seen within the last 30 days. */
export async function fillSeenFleet(installation: BenchInstallation, devices: number): Promise<void> {
  await opened(installation, async ({ database }) => {
    // Cache size in KiB. With the usual cache, the pages of the indexes would be written repeatedly.
    if (database.kind === 'sqlite') await sql`pragma cache_size = -1500000`.execute(database.query)
    await database.query.transaction().execute(async (query) => {
      const indexes = Array.from({ length: devices }, (_, index) => index)
      for (const group of groupsOf(indexes, GROUP)) {
        const made = group.map((index) => make(index, devices))
        const activities = made.flatMap(({ activity }) => (activity ? [activity] : []))
        await insertMany(
          query,
          'device',
          made.map(({ device }) => device),
        ).execute()
        await insertMany(query, 'device_activity', activities).execute()
      }
    })
  })
  await analyze(installation)
}

async function analyze(installation: BenchInstallation): Promise<void> {
  const { postgres } = installation
  if (postgres) await postgres.server.query('vacuum analyze', postgres.database)
}

export const idOf = (index: number, devices: number): string => {
  const time = registeredOf(index, devices).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${index.toString(16).padStart(12, '0')}`
}

const registeredOf = (index: number, devices: number): number =>
  Math.floor(NOW - REGISTERED_FOR_MS + (index / devices) * REGISTERED_FOR_MS)

/** Spreads the indexes in a reproducible order. */
const scattered = (index: number, modulus: number): number => ((index * 2_654_435_761) >>> 0) % modulus

export const serialAt = (index: number): string => `AC-${String(scattered(index, 2 ** 32)).padStart(10, '0')}`

const STATUSES = [
  [200, 'pending'],
  [500, 'revoked'],
  [1000, 'superseded'],
] as const

function make(index: number, devices: number) {
  const id = idOf(index, devices)
  const deviceKeyId = keyOf(index)
  const bucket = bucketOf(deviceKeyId)
  const [brandId, model] = modelOf(index)
  const one = (of: number, rest = 0) => scattered(index, of) === rest
  const status = STATUSES.find(([of]) => one(of, 7))?.[1] ?? 'active'
  const seenAt = one(20, 3)
    ? null
    : NOW - Math.floor((scattered(index, 9973) / 9973) ** 2 * 30 * DAY_MS) - (index % 1000)
  const evidenceAt = one(3000, 11) ? NOW - scattered(index, 90) * DAY_MS - (index % 1000) : null
  const address = addressOf(index)
  return {
    device: {
      ...{
        id,
        bucket,
        brand_id: brandId,
        model,
        serial: serialAt(index),
        device_key_id: deviceKeyId,
        status,
      },
      ...{ revision: status === 'pending' ? null : 0, origin: seenAt === null ? 'import' : 'registration' },
      ...{ request: status === 'pending' ? Buffer.from('request') : null },
      registered_at: registeredOf(index, devices),
      decided_by: status === 'pending' ? null : one(50) ? 'ada' : 'policy',
      quarantined_at: one(10_000, 5) ? NOW : null,
    },
    activity:
      seenAt === null && evidenceAt === null
        ? undefined
        : {
            ...{ device_id: id, bucket, brand_id: brandId, last_seen_at: seenAt, evidence_at: evidenceAt },
            ...(seenAt === null
              ? { address: null, address_key: null }
              : { address, address_key: addressKey(address) ?? null }),
          },
  }
}

function modelOf(index: number): readonly [string, string] {
  if (scattered(index, 2_000) === 1) return [RARE.brandId, RARE.model]
  if (scattered(index, 5_000) === 2) return [SMALL, 'model-0']
  return index % 5 < 3 ? [LARGE, `model-${index % 3}`] : [MIDDLE, `model-${index % 2}`]
}

function addressOf(index: number): string {
  const host = scattered(index, 65_536)
  if (scattered(index, 20) === 4) return `10.20.${host >> 8}.${host & 255}`
  if (scattered(index, 200) === 5) return `10.30.1.${host & 255}`
  const wide = scattered(index, 2 ** 32)
  return `2001:db8:${(wide >>> 16).toString(16)}:${(wide & 65_535).toString(16)}::1`
}
