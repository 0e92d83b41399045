/**
 * Counts the register again, part by part, so that no statement takes long. A device that changes meanwhile may be
 * counted twice, or not at all, until the next time.
 */
import type { Clock } from '../../clock.ts'
import type { CountPosition, CountStore } from './count-store.ts'
import type { DeviceCount } from './device-counts.ts'

interface RecountDeps {
  readonly deviceCounts: CountStore
  readonly clock: Clock
  /** False: to be ended. Then the counts stay as they were. */
  readonly goOn: () => Promise<boolean>
  /** Of each part. */
  readonly rows?: number
}

const ROWS = 20_000

export async function recountDevices({ deviceCounts, clock, goOn, rows = ROWS }: RecountDeps): Promise<void> {
  const at = clock()
  const all = new Map<string, DeviceCount>()
  for (let after: CountPosition | undefined; ; ) {
    const { counts, end } = await deviceCounts.countPart(after, rows)
    for (const count of counts) {
      const kind = `${count.brandId}/${count.model}/${count.status}`
      all.set(kind, { ...count, devices: count.devices + (all.get(kind)?.devices ?? 0) })
    }
    if (!end) return deviceCounts.keep([...all.values()], at)
    if (!(await goOn())) return
    after = end
  }
}
