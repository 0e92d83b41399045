/** The filters and orders of lists of devices (contract/administration.md, A7 and A8). */
import type { DeviceId } from '@ratafia/api'
import type { AddressRange } from '../../addresses/address-classes.ts'
import type { ModelName } from '../../brands/models/model-policy.ts'
import type { CloneEvidenceKind } from '../clones/clone-evidence.ts'
import type { Device, DeviceOrigin, DeviceStatus } from '../device.ts'

/** A device has to match every field; for a list, one of its values. `…Since` is inclusive, `…Until` exclusive. */
export interface ListFilter {
  readonly id?: DeviceId | undefined
  readonly serial?: string | undefined
  readonly deviceKeyId?: string | undefined
  readonly serialPrefix?: string | undefined
  readonly keyPrefix?: string | undefined
  /** Any part of a serial, the beginning of a key if it has 8 characters or more, or an id. */
  readonly search?: string | undefined
  readonly brands?: readonly string[] | undefined
  readonly models?: readonly ModelName[] | undefined
  readonly statuses?: readonly DeviceStatus[] | undefined
  readonly quarantined?: boolean | undefined
  readonly registeredSince?: Date | undefined
  readonly registeredUntil?: Date | undefined
  readonly origins?: readonly DeviceOrigin[] | undefined
  readonly decidedBy?: readonly string[] | undefined
  readonly seenSince?: Date | undefined
  readonly seenUntil?: Date | undefined
  /** Whether to select only devices that neither registered here nor opened a session. */
  readonly neverSeen?: boolean | undefined
  /** When the device opened its last session. A device that never had one matches neither. */
  readonly sessionSince?: Date | undefined
  readonly sessionUntil?: Date | undefined
  /** Whether to select only devices that never opened a session. */
  readonly withoutSession?: boolean | undefined
  /** Ranges that contain the address where the device was last seen. */
  readonly addresses?: readonly AddressRange[] | undefined
  /** An address that the device used to register or open a session, as far as retention has kept it. */
  readonly pastAddress?: string | undefined
  /** Whether there is evidence of a clone. */
  readonly evidence?: boolean | undefined
  readonly evidenceKinds?: readonly CloneEvidenceKind[] | undefined
}

/**
 * A `-` puts the newest first; serials are sorted by code point. The orders of `seen` contain only devices
 * that were seen, and that of `evidence` only devices with evidence.
 */
export const LIST_SORTS = ['-registered', 'registered', 'serial', '-seen', 'seen', '-evidence'] as const
export type ListSort = (typeof LIST_SORTS)[number]

const isDescending = (sort: ListSort): boolean => sort.startsWith('-')

/** The position of a device in a list: its sort key and its id. */
export interface ListPosition {
  /** A time in milliseconds, or the serial. */
  readonly key: number | string
  readonly id: string
}

/** A device and its position in the list. */
export interface Placed {
  readonly device: Device
  readonly position: ListPosition
}

/** Returns a negative number if `one` comes first. Strings are compared by code point, as both databases sort them. */
export function comparePositions(one: ListPosition, other: ListPosition, sort: ListSort): number {
  const direction = isDescending(sort) ? -1 : 1
  if (one.key !== other.key) return direction * (compare(one.key, other.key) || 0)
  return direction * compare(one.id, other.id)
}

function compare(one: number | string, other: number | string): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}
