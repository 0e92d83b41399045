import type { Stores } from '../../stores.ts'
import type { CountPosition } from './count-store.ts'
import type { DeviceCount } from './device-counts.ts'

interface RecountDeps extends Stores {
  /** Returns false if the job is to stop. The counts then stay unchanged. */
  readonly goOn: () => Promise<boolean>
  /** The number of devices to count at a time. */
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
