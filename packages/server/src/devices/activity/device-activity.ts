/** When and where a device was last seen, and when evidence of a clone of it was. */
import type { DeviceRef } from '../device.ts'

export interface DeviceActivity {
  /** It registered, opened a session or refreshed one; null if it never did. */
  readonly lastSeenAt: Date | null
  /** From where it did; null if that is not known. */
  readonly lastAddress: string | null
  /** As long as there is evidence. */
  readonly evidenceAt: Date | null
}

/** One time that a device was seen. */
export interface SeenDevice extends DeviceRef {
  readonly at: Date
  readonly address: string
}

/** As lists and the API show it. */
export const activityRecord = (activity: DeviceActivity | undefined) => ({
  last_seen_at: activity?.lastSeenAt?.toISOString() ?? null,
  last_address: activity?.lastAddress ?? null,
  evidence_at: activity?.evidenceAt?.toISOString() ?? null,
})
