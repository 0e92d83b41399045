/** Counts the devices that the caller can see. */
import { type Authority, brandsFor, covers } from '../../authority.ts'
import type { Stores } from '../../stores.ts'
import type { DeviceCounts } from './device-counts.ts'

interface ToCount {
  readonly authority: Authority
  /** Counts only devices of these brands; all visible devices if undefined. */
  readonly brands: readonly string[] | undefined
}

const NONE: DeviceCounts = {
  ...{ counts: [], countedAt: undefined },
  waiting: { devices: 0, more: false },
  quarantined: { devices: 0, more: false },
}

/** Lists show "more than 10,000" above this number. */
const MOST = 10_000

/** Brands that the caller can't see are treated as missing. Throws `RequestError` `permission-denied`. */
export async function countDevices(
  { authority, brands: named }: ToCount,
  { deviceCounts }: Stores,
): Promise<DeviceCounts> {
  const scope = brandsFor(authority, 'devices:read')
  const brands = named?.filter((brandId) => covers(scope, brandId)) ?? (scope === 'all' ? scope : [...scope])
  if (brands !== 'all' && brands.length === 0) return NONE
  const [kept, waiting, quarantined] = await Promise.all([
    deviceCounts.kept(brands),
    deviceCounts.countNow('waiting', brands, MOST),
    deviceCounts.countNow('quarantined', brands, MOST),
  ])
  return { ...kept, waiting, quarantined }
}
