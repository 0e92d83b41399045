/** How many devices there are of each kind, as they were counted last (contract/administration.md, A9). */
import type { DeviceStatus } from '../device.ts'

export interface DeviceCount {
  readonly brandId: string
  readonly model: string
  readonly status: DeviceStatus
  readonly devices: number
}

/** Up to a limit. */
export interface CountedNow {
  readonly devices: number
  /** There are more. */
  readonly more: boolean
}

export interface DeviceCounts {
  /** By brand, model and status; none of which there is no device. */
  readonly counts: readonly DeviceCount[]
  /** Undefined: they were not counted yet. */
  readonly countedAt: Date | undefined
  /** As of now. */
  readonly waiting: CountedNow
  readonly quarantined: CountedNow
}

const nowRecord = ({ devices, more }: CountedNow) => ({ devices, more })

/** As the API and `--json` show it. */
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
