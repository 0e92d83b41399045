/** What the register can be listed by (contract/administration.md, A7 and A8). */
import type { DeviceId } from '@ratafia/api'
import type { AddressRange } from '../../addresses/address-classes.ts'
import type { ModelName } from '../../brands/models/model-policy.ts'
import type { CloneEvidenceKind } from '../clones/clone-evidence.ts'
import type { Device, DeviceOrigin, DeviceStatus } from '../device.ts'

/** A device that fits all that is given; of a list it fits one. Instants: from `…Since` on, before `…Until`. */
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
  /** Whether it neither registered here nor opened a session. */
  readonly neverSeen?: boolean | undefined
  /** Of the last session that it opened: a device that never had one fits neither. */
  readonly sessionSince?: Date | undefined
  readonly sessionUntil?: Date | undefined
  /** Whether it never opened a session. */
  readonly withoutSession?: boolean | undefined
  /** Where it was last seen. */
  readonly addresses?: readonly AddressRange[] | undefined
  /** From where it registered, or opened a session, as far as retention has kept that. */
  readonly pastAddress?: string | undefined
  /** Whether there is evidence of a clone of it. */
  readonly evidence?: boolean | undefined
  readonly evidenceKinds?: readonly CloneEvidenceKind[] | undefined
}

/**
 * A `-` begins with the newest; serials are sorted by code point. Only devices that were seen are in the orders of
 * `seen`, and only those with evidence in that of `evidence`.
 */
export const LIST_SORTS = ['-registered', 'registered', 'serial', '-seen', 'seen', '-evidence'] as const
export type ListSort = (typeof LIST_SORTS)[number]

const isDescending = (sort: ListSort): boolean => sort.startsWith('-')

/** Where a device stands in a list: by what the list is sorted, and its id. */
export interface ListPosition {
  /** Milliseconds, or the serial. */
  readonly key: number | string
  readonly id: string
}

/** A device, and where it stands in the list that it was found for. */
export interface Placed {
  readonly device: Device
  readonly position: ListPosition
}

/** Negative if the first comes first. Texts by code point, as both databases sort them. */
export function comparePositions(one: ListPosition, other: ListPosition, sort: ListSort): number {
  const direction = isDescending(sort) ? -1 : 1
  if (one.key !== other.key) return direction * (compare(one.key, other.key) || 0)
  return direction * compare(one.id, other.id)
}

function compare(one: number | string, other: number | string): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}
