/** What the register can be listed by (contract/administration.md, A7 and A8). */
import type { DeviceId } from '@ratafia/api'
import type { ModelName } from '../../brands/models/model-policy.ts'
import type { Device, DeviceOrigin, DeviceStatus } from '../device.ts'

/** A device that fits all that is given; of a list it fits one. Instants: from `…Since` on, before `…Until`. */
export interface ListFilter {
  readonly id?: DeviceId | undefined
  readonly serial?: string | undefined
  readonly deviceKeyId?: string | undefined
  readonly serialPrefix?: string | undefined
  readonly keyPrefix?: string | undefined
  /** The beginning of a serial, or of a key if it has 8 characters or more. */
  readonly beginning?: string | undefined
  readonly brands?: readonly string[] | undefined
  readonly models?: readonly ModelName[] | undefined
  readonly statuses?: readonly DeviceStatus[] | undefined
  readonly quarantined?: boolean | undefined
  readonly registeredSince?: Date | undefined
  readonly registeredUntil?: Date | undefined
  readonly origins?: readonly DeviceOrigin[] | undefined
  readonly decidedBy?: readonly string[] | undefined
}

/** Newest first is the usual order of `registered`, and by code point that of `serial`. */
export const LIST_SORTS = ['-registered', 'registered', 'serial'] as const
export type ListSort = (typeof LIST_SORTS)[number]

/** Where a device stands in a list: by what the list is sorted, and its id. */
export interface ListPosition {
  /** Milliseconds, or the serial. */
  readonly key: number | string
  readonly id: string
}

export const positionOf = ({ id, serial, registeredAt }: Device, sort: ListSort): ListPosition => ({
  key: sort === 'serial' ? serial : registeredAt.getTime(),
  id,
})

/** Negative if the first comes first. Texts by code point, as both databases sort them. */
export function comparePositions(one: ListPosition, other: ListPosition, sort: ListSort): number {
  const direction = sort === '-registered' ? -1 : 1
  if (one.key !== other.key) return direction * (compare(one.key, other.key) || 0)
  return direction * compare(one.id, other.id)
}

function compare(one: number | string, other: number | string): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}
