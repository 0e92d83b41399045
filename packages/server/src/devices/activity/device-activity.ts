/** When and where a device was last seen, and when evidence of a clone of it was last seen. */
import type { DeviceRef } from '../device.ts'

export interface DeviceActivity {
  /** When it last registered, opened a session or refreshed one; null if it never did. */
  readonly lastSeenAt: Date | null
  /** The address it was last seen from; null if unknown. */
  readonly lastAddress: string | null
  /** When evidence of a clone was last seen; null if there is no evidence. */
  readonly evidenceAt: Date | null
}

/** One sighting of a device. */
export interface SeenDevice extends DeviceRef {
  readonly at: Date
  readonly address: string
}

/** The activity as lists and the API show it. */
export const activityRecord = (activity: DeviceActivity | undefined) => ({
  last_seen_at: activity?.lastSeenAt?.toISOString() ?? null,
  last_address: activity?.lastAddress ?? null,
  evidence_at: activity?.evidenceAt?.toISOString() ?? null,
})
