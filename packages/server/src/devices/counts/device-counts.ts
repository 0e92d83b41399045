/** The number of devices of each kind, as of the last count (contract/administration.md, A9). */

import { type Authority, brandsFor, covers } from '../../authority.ts'
import type { Stores } from '../../stores.ts'
import type { DeviceStatus } from '../device.ts'

export interface DeviceCount {
  readonly brandId: string
  readonly model: string
  readonly status: DeviceStatus
  readonly devices: number
}

/** A count up to a limit. */
export interface CountedNow {
  readonly devices: number
  /** Whether there are more than `devices`. */
  readonly more: boolean
}

export interface DeviceCounts {
  /** Sorted by brand, model and status. Kinds without devices are left out. */
  readonly counts: readonly DeviceCount[]
  /** When the devices were counted; undefined before the first count. */
  readonly countedAt: Date | undefined
  /** Counted as of now. */
  readonly waiting: CountedNow
  readonly quarantined: CountedNow
}

const nowRecord = ({ devices, more }: CountedNow) => ({ devices, more })

/** The counts as the API and `--json` show them. */
export const countsRecord = ({ counts, countedAt, waiting, quarantined }: DeviceCounts) => ({
  counted_at: countedAt?.toISOString() ?? null,
  devices: counts.reduce((sum, { devices }) => sum + devices, 0),
  counts: counts.map(({ brandId, model, status, devices }) => ({
    brand_id: brandId,
    model,
    status,
    devices,
  })),
  waiting: nowRecord(waiting),
  quarantined: nowRecord(quarantined),
})

interface ToCount {
  readonly authority: Authority
  /** Counts only devices of these brands; all visible devices if undefined. */
  readonly brands: readonly string[] | undefined
}

const NONE: CountedNow = { devices: 0, more: false }

/** Lists show "more than 10,000" above this number. */
const MOST = 10_000

/** Brands that the caller can't see are treated as missing. Throws `permission-denied`. */
export async function countDevices(
  { authority, brands: named }: ToCount,
  { deviceCounts }: Stores,
): Promise<DeviceCounts> {
  const scope = brandsFor(authority, 'devices:read')
  const brands = named?.filter((brandId) => covers(scope, brandId)) ?? (scope === 'all' ? scope : [...scope])
  const now = (what: 'waiting' | 'quarantined') =>
    brands !== 'all' && brands.length === 0 ? NONE : deviceCounts.countNow(what, brands, MOST)
  const [kept, waiting, quarantined] = await Promise.all([
    deviceCounts.kept(brands),
    now('waiting'),
    now('quarantined'),
  ])
  return { ...kept, waiting, quarantined }
}
