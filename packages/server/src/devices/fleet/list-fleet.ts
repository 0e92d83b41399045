/**
 * Returns a page of the register in bounded work: it examines at most {@link MOST_ROWS} rows of one index,
 * and fewer where a row costs more. So a page can be short or empty although more follows
 * (contract/administration.md, A7 and A8).
 */
import { type Authority, brandsFor, brandsNamed } from '../../authority.ts'
import type { Stores } from '../../stores.ts'
import type { DeviceActivity } from '../activity/device-activity.ts'
import type { Device } from '../device.ts'
import {
  comparePositions,
  type ListFilter,
  type ListPosition,
  type ListSort,
  type Placed,
} from './list-filter.ts'
import type { Brands } from './list-way-store.ts'

export interface FleetListing {
  readonly authority: Authority
  readonly filter: ListFilter
  readonly sort: ListSort
  readonly after: ListPosition | undefined
  readonly limit: number
}

export interface ListedDevice {
  readonly device: Device
  /** The position in this list. */
  readonly position: ListPosition
  /** The device's activity; undefined if nothing is known. */
  readonly activity: DeviceActivity | undefined
}

export interface FleetPage {
  readonly devices: readonly ListedDevice[]
  /** The next page's position; undefined on the last page. */
  readonly next: ListPosition | undefined
  /** The number of rows examined if the page stopped early, with more remaining; undefined otherwise. */
  readonly examined: number | undefined
}

const MOST_ROWS = 20_000

/** Neither shows nor reads devices of brands that the caller can't see. Throws `permission-denied`. */
export async function listFleet({ authority, ...listing }: FleetListing, stores: Stores): Promise<FleetPage> {
  const { models, brands: asked } = listing.filter
  const named = models?.map(({ brandId }) => brandId).filter((id) => asked?.includes(id) ?? true) ?? asked
  const brands = brandsNamed(brandsFor(authority, 'devices:read'), named)
  const { placed, ...page } = await pageFor(listing, brands, stores)
  const activities = await stores.activities.of(placed.map(({ device }) => device.id))
  return { ...page, devices: placed.map((one) => ({ ...one, activity: activities.get(one.device.id) })) }
}

type Listing = Omit<FleetListing, 'authority'>

interface Page extends Omit<FleetPage, 'devices'> {
  readonly placed: readonly Placed[]
}

async function pageFor(
  { filter, sort, after, limit }: Listing,
  brands: Brands,
  { deviceLists, mostRows = MOST_ROWS }: Stores,
): Promise<Page> {
  if (brands !== 'all' && brands.length === 0) return { placed: [], next: undefined, examined: undefined }
  const ways = deviceLists.waysOf(filter, { brands, sort })
  const byIndex = async (isLast: boolean) => {
    for (const way of ways.filter((one) => one.isLast === isLast)) {
      const most = Math.ceil(mostRows / way.cost)
      const few = await deviceLists.fewOf(way, most)
      if (!few) continue
      const rows = await deviceLists.fittingFew(few, {
        ...{ filter, sort, after, limit: limit + 1, most: 2 * most },
      })
      return pageOf(rows, limit)
    }
    return undefined
  }
  const few = await byIndex(false)
  if (few) return few
  const streams = brands === 'all' ? [undefined] : brands
  const rows = Math.ceil(mostRows / deviceLists.costInOrder({ filter, sort }) / streams.length)
  const parts = await Promise.all(
    streams.map(async (brandId) => {
      const stretch = { sort, brandId, after, filter }
      const found = await deviceLists.fitting(stretch, { rows, limit: limit + 1 })
      // If enough devices match, it doesn't matter how far the index was read.
      return { found, end: found.length > limit ? undefined : await deviceLists.endOf(stretch, rows) }
    }),
  )
  const page = merged(parts, { sort, limit, examined: rows * streams.length })
  return page.examined === undefined ? page : ((await byIndex(true)) ?? page)
}

interface Part {
  readonly found: readonly Placed[]
  /** The position where reading stopped; undefined if the part was read completely, or has enough devices. */
  readonly end: ListPosition | undefined
}

/** Devices after the first stop are left out: rows of another brand that weren't read yet may come before them. */
function merged(
  parts: readonly Part[],
  { sort, limit, examined }: { readonly sort: ListSort; readonly limit: number; readonly examined: number },
): Page {
  const [end] = parts.flatMap((part) => part.end ?? []).sort((a, b) => comparePositions(a, b, sort))
  const all = parts
    .flatMap(({ found }) => found)
    .sort((a, b) => comparePositions(a.position, b.position, sort))
  const sure = end ? all.filter(({ position }) => comparePositions(position, end, sort) <= 0) : all
  const page = pageOf(sure, limit)
  return page.next || !end ? page : { ...page, next: end, examined }
}

function pageOf(rows: readonly Placed[], limit: number): Page {
  const placed = rows.slice(0, limit)
  const next = rows.length > limit ? placed.at(-1)?.position : undefined
  return { placed, next, examined: undefined }
}
