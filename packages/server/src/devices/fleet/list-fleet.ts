/**
 * A page of the register, in bounded work: at most {@link MOST_ROWS} rows of one index are looked at, so a page may be
 * short, or empty, and still go on (contract/administration.md, A7 and A8).
 */
import { type Authority, brandsFor, brandsNamed } from '../../authority.ts'
import type { Device } from '../device.ts'
import {
  comparePositions,
  type ListFilter,
  type ListPosition,
  type ListSort,
  positionOf,
} from './list-filter.ts'
import type { Few, ListStore } from './list-store.ts'

export interface FleetListing {
  readonly authority: Authority
  readonly filter: ListFilter
  readonly sort: ListSort
  readonly after: ListPosition | undefined
  readonly limit: number
}

export interface FleetPage {
  readonly devices: readonly Device[]
  /** Undefined: nothing follows. */
  readonly next: ListPosition | undefined
  /** Undefined: as many as were needed. Else rows were left, but no more were looked at. */
  readonly examined: number | undefined
}

const MOST_ROWS = 20_000

/**
 * Devices of brands that the caller may not see are not there, and are not looked at either. Throws `RequestError`
 * `permission-denied`.
 */
export async function listFleet(
  { authority, filter, sort, after, limit }: FleetListing,
  { deviceLists, mostRows = MOST_ROWS }: { readonly deviceLists: ListStore; readonly mostRows?: number },
): Promise<FleetPage> {
  const named = filter.models ? filter.models.map(({ brandId }) => brandId) : filter.brands
  const brands = brandsNamed(brandsFor(authority, 'devices:read'), named)
  if (brands !== 'all' && brands.length === 0) return { devices: [], next: undefined, examined: undefined }
  for (const few of waysOf(filter)) {
    if ((await deviceLists.countFew(few, filter, brands, mostRows + 1)) > mostRows) continue
    const rows = await deviceLists.fittingFew(few, { filter, brands, sort, after, limit: limit + 1 })
    return pageOf(rows, { sort, limit })
  }
  const streams = brands === 'all' ? [undefined] : brands
  const rows = Math.max(1, Math.floor(mostRows / streams.length))
  const parts = await Promise.all(
    streams.map(async (brandId) => {
      const stretch = { sort, brandId, after, filter }
      const found = await deviceLists.fitting(stretch, { rows, limit: limit + 1 })
      // With enough of them, how far the index was read does not matter.
      return { found, end: found.length > limit ? undefined : await deviceLists.endOf(stretch, rows) }
    }),
  )
  return merged(parts, { sort, limit, examined: rows * streams.length })
}

/** The indexes that the filters name, the narrowest first. */
function* waysOf(filter: ListFilter): Generator<Few> {
  if (filter.id !== undefined) yield 'id'
  if (filter.serial !== undefined) yield 'serial'
  if (filter.deviceKeyId !== undefined) yield 'key'
  if (filter.serialPrefix !== undefined) yield 'serial-prefix'
  if (filter.keyPrefix !== undefined) yield 'key-prefix'
  if (filter.beginning !== undefined) yield 'beginning'
  if (filter.quarantined) yield 'quarantined'
  if (filter.statuses?.every((status) => status === 'pending')) yield 'waiting'
}

interface Part {
  readonly found: readonly Device[]
  /** Where the part was given up; undefined if it was read to its end, or has enough. */
  readonly end: ListPosition | undefined
}

/** What is behind the first end may have to wait for rows of another brand that nobody has looked at. */
function merged(
  parts: readonly Part[],
  { sort, limit, examined }: { readonly sort: ListSort; readonly limit: number; readonly examined: number },
): FleetPage {
  const [end] = parts.flatMap((part) => part.end ?? []).sort((a, b) => comparePositions(a, b, sort))
  const all = parts
    .flatMap(({ found }) => found)
    .sort((a, b) => comparePositions(positionOf(a, sort), positionOf(b, sort), sort))
  const sure = end ? all.filter((one) => comparePositions(positionOf(one, sort), end, sort) <= 0) : all
  const page = pageOf(sure, { sort, limit })
  return page.next || !end ? page : { ...page, next: end, examined }
}

function pageOf(
  rows: readonly Device[],
  { sort, limit }: { readonly sort: ListSort; readonly limit: number },
): FleetPage {
  const devices = rows.slice(0, limit)
  const last = devices.at(-1)
  const next = rows.length > limit && last ? positionOf(last, sort) : undefined
  return { devices, next, examined: undefined }
}
