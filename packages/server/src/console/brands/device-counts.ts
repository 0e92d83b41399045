/** How many devices brands have, for lists with more brands than one request names. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import type { DeviceCounts } from '../../web/console/brands/devices-by-status.ts'

/** As the operation takes. */
const AT_ONCE = 64

export async function deviceCountsOf(
  brands: readonly string[],
  call: ConsoleAsked['call'],
): Promise<Pick<DeviceCounts, 'counts'>> {
  const counts: DeviceCounts['counts'][number][] = []
  for (let first = 0; first < brands.length; first += AT_ONCE) {
    const query = { brand: brands.slice(first, first + AT_ONCE) }
    counts.push(...(await call(MANAGEMENT_OPERATIONS.deviceCounts, { query })).counts)
  }
  return { counts }
}
