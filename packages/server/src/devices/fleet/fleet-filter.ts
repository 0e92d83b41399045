/** By what the register can be searched, and in which orders it is listed. */
import type { DeviceId } from '@ratafia/api'
import type { CloneEvidenceKind } from '../clones/clone-evidence.ts'
import type { Device } from '../device.ts'
import type { DeviceFilter } from '../device-store.ts'

/** A device that fits all that is given. Instants: from `…Since` on, before `…Before`. */
export interface FleetFilter extends Omit<DeviceFilter, 'limit'> {
  readonly quarantined?: boolean | undefined
  readonly serialPrefix?: string | undefined
  readonly keyPrefix?: string | undefined
  readonly registeredSince?: Date | undefined
  readonly registeredBefore?: Date | undefined
  /** Of the last session it opened: a device that never had one fits neither. */
  readonly sessionSince?: Date | undefined
  readonly sessionBefore?: Date | undefined
  /** Whether it ever opened a session here. */
  readonly hadSession?: boolean | undefined
  /** Registered, or opened a session, from this address, as far as retention has kept where they did. */
  readonly address?: string | undefined
  /** With evidence of a clone that has not been removed. */
  readonly evidence?: CloneEvidenceKind | 'any' | undefined
}

/**
 * - `entered`: when it came into this register
 * - `registered`: when it was registered, here or where it was imported from
 * - `serial`: by code point
 * - `session`: when it last opened a session; those that never did are the oldest
 */
export const FLEET_ORDERS = ['entered', 'registered', 'serial', 'session'] as const

export type FleetOrder = (typeof FLEET_ORDERS)[number]

/** The last device of a page: the next page begins behind it. */
export interface FleetPosition {
  readonly id: DeviceId
  /**
   * In the order of sessions, when that device had last opened one; null: never. It may open one between two pages, and
   * would move to the front.
   */
  readonly lastSessionAt?: Date | null
}

export interface FleetQuery {
  readonly filter: FleetFilter
  readonly order: FleetOrder
  /** Newest first is the usual direction, and A to Z for serials. */
  readonly reverse: boolean
  readonly after: FleetPosition | undefined
  readonly limit: number
  /** Whether to look up the last session of each. The order of sessions does so anyway. */
  readonly withLastSession: boolean
  /** Whether to look up the evidence of each. */
  readonly withEvidence: boolean
}

interface LastSession {
  readonly at: Date | null
  /** Null when no session is left to say it. */
  readonly address: string | null
}

export interface EvidenceSummary {
  readonly kinds: readonly CloneEvidenceKind[]
  /** Sightings of all kinds. */
  readonly times: number
  readonly lastSeenAt: Date
}

export interface FleetDevice {
  readonly device: Device
  readonly lastSession: LastSession | undefined
  readonly evidence: EvidenceSummary | undefined
}
