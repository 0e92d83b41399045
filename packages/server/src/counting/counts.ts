/** Returns the counts over time that the caller has permission to see. */
import { COUNTER_NAMES, COUNTERS, type CounterName, type CounterPeriod } from '@ratafia/api'
import { type Authority, type BrandScope, brandsFor, covers, requireForAll } from '../authority.ts'
import type { Clock } from '../clock.ts'
import { invalidField } from '../errors.ts'
import type { CountedBucket, CounterStore } from './counter-store.ts'
import { ALL_BRANDS, SERIES } from './series.ts'

export interface CountsAsked {
  readonly authority: Authority
  /** The counter; undefined for all that the caller can see. */
  readonly name: CounterName | undefined
  readonly period: CounterPeriod
  /** The brand; undefined for all that the caller can see. */
  readonly brandId: string | undefined
  /** Whether to add up the preceding period as well. */
  readonly previous?: boolean | undefined
}

interface Bucket {
  readonly at: Date
  readonly counts: Readonly<Record<string, number>>
}

interface CountedSeries {
  readonly name: CounterName
  readonly labels: readonly string[]
  /** The buckets, oldest first, without gaps. */
  readonly buckets: readonly Bucket[]
  /** The preceding period's counts by label; null if they are not kept, undefined if they were not requested. */
  readonly previous?: Readonly<Record<string, number>> | null
}

export interface Counts {
  readonly period: CounterPeriod
  readonly brandId: string | undefined
  readonly unit: 'hour' | 'day' | 'month'
  readonly series: readonly CountedSeries[]
}

/**
 * Lists counts. A brand that the caller cannot see looks like one without counts. Throws `permission-denied`, and
 * `invalid-field` for a brand with a counter that is not kept by brand.
 */
export async function listCounts(
  { authority, name, period, brandId, previous = false }: CountsAsked,
  { counters, clock }: { readonly counters: Pick<CounterStore, 'counts'>; readonly clock: Clock },
): Promise<Counts> {
  const names = name === undefined ? seenBy(authority, brandId) : [name]
  if (name !== undefined) {
    requireSeries(authority, name)
    if (brandId !== undefined && !SERIES[name].ofBrands) {
      throw invalidField(`${name} is counted for the whole service only. Leave the brand out.`, {
        field: 'query/brand',
      })
    }
  }
  const { unit, starts, before } = startsOf(period, clock())
  const seriesFor = async (one: CounterName): Promise<CountedSeries> => {
    const brandIds = brandsCounted(brandsFor(authority, SERIES[one].permission), brandId)
    // The preceding period is one additional bucket.
    const earlier = previous && before ? [before] : []
    const rows = await counters.counts({ name: one, brandIds, starts: [...earlier, ...starts] })
    const countsIn = (bucket: number) => rows.filter((row) => row.bucket === bucket)
    const now = rows.filter(({ bucket }) => bucket >= earlier.length)
    const labels = COUNTERS[one] ?? [...new Set(now.map(({ label }) => label))].sort()
    return {
      ...{ name: one, labels },
      buckets: starts.map((at, index) => ({ at, counts: byLabel(labels, countsIn(index + earlier.length)) })),
      ...(previous && { previous: before ? byLabel(COUNTERS[one] ?? [], countsIn(0)) : null }),
    }
  }
  // Each series reads its own rows, which PostgreSQL does in parallel.
  const series = await Promise.all(names.map(seriesFor))
  return { period, brandId, unit, series }
}

/** Returns the counters that the caller can see completely. Throws `permission-denied` if there are none. */
function seenBy(authority: Authority, brandId: string | undefined): readonly CounterName[] {
  brandsFor(authority, 'devices:read')
  return COUNTER_NAMES.filter((name) => {
    const { ofBrands, permission } = SERIES[name]
    return ofBrands || (brandId === undefined && authority.scopeOf(permission) === 'all')
  })
}

/** Throws unless the caller can see the counter. One for the whole service needs permission for all of it. */
function requireSeries(authority: Authority, name: CounterName): void {
  const { ofBrands, permission } = SERIES[name]
  if (ofBrands) brandsFor(authority, permission)
  else requireForAll(authority, permission)
}

function brandsCounted(scope: BrandScope, brandId: string | undefined): readonly string[] {
  if (brandId !== undefined) return covers(scope, brandId) ? [brandId] : []
  return scope === 'all' ? [ALL_BRANDS] : [...scope]
}

/** Returns when each bucket begins, in UTC. The last is not over. `before` starts an equally long preceding period. */
function startsOf(
  period: CounterPeriod,
  now: Date,
): Pick<Counts, 'unit'> & { readonly starts: readonly Date[]; readonly before?: Date } {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const last = (count: number, start: (ago: number) => number) =>
    Array.from({ length: count }, (_, index) => new Date(start(count - 1 - index)))
  switch (period) {
    case '24h':
      return {
        unit: 'hour',
        starts: last(24, (ago) => Date.UTC(year, month, day, now.getUTCHours() - ago)),
        before: new Date(Date.UTC(year, month, day, now.getUTCHours() - 47)),
      }
    case '30d':
      return {
        unit: 'day',
        starts: last(30, (ago) => Date.UTC(year, month, day - ago)),
        before: new Date(Date.UTC(year, month, day - 59)),
      }
    case '12mo':
      return { unit: 'month', starts: last(12, (ago) => Date.UTC(year, month - ago)) }
  }
}

/** Returns the count of each of `labels`, and of other labels that have any. */
function byLabel(
  labels: readonly string[],
  rows: readonly Pick<CountedBucket, 'label' | 'n'>[],
): Readonly<Record<string, number>> {
  return Object.fromEntries([
    ...labels.map((label) => [label, 0] as const),
    ...rows.map(({ label, n }) => [label, n] as const),
  ])
}

/** Returns the counts as the API and `--json` show them. */
export const countersRecord = ({ period, brandId, unit, series }: Counts) => ({
  period,
  brand: brandId ?? null,
  unit,
  counters: series.map(({ name, labels, buckets, previous }) => ({
    name,
    labels: [...labels],
    buckets: buckets.map(({ at, counts }) => ({ at: at.toISOString(), counts })),
    ...(previous !== undefined && { previous }),
  })),
})
