/** Counts events for the charts of administrators. */
import type { CounterLabel, CounterName } from '@ratafia/api'
import type { Clock } from '../clock.ts'
import type { CountedRow } from './counter-store.ts'
import { ALL_BRANDS, HOUR_MS, OTHER_BRANDS } from './series.ts'

export interface Tally {
  /** Counts an event now. `brandId` can be unknown; then the event counts only in the total. */
  add<Name extends CounterName>(
    name: Name,
    label: CounterLabel<Name>,
    brandId?: string | undefined,
    times?: number,
  ): void
}

/** A tally that counts nothing. */
export const UNCOUNTED: Tally = { add: () => {} }

export interface KeptTally extends Tally {
  /** Returns everything that was added, and forgets it. */
  take(): readonly CountedRow[]
  /** Adds counts that could not be stored. */
  giveBack(rows: readonly CountedRow[]): void
}

/** The maximum number of rows in memory; beyond that, brands are counted as "others". */
const MOST = 10_000

export function keepTally({
  clock,
  most = MOST,
}: {
  readonly clock: Clock
  readonly most?: number
}): KeptTally {
  let rows = new Map<string, { -readonly [Key in keyof CountedRow]: CountedRow[Key] }>()

  const count = (row: CountedRow): void => {
    const key = `${row.at} ${row.name} ${row.brandId} ${row.label}`
    const known = rows.get(key)
    if (known) known.n += row.n
    else if (rows.size < most || !isOfBrand(row)) rows.set(key, { ...row })
    else count({ ...row, brandId: OTHER_BRANDS })
  }

  return {
    add: (name, label, brandId, n = 1) => {
      if (n === 0) return
      const at = Math.floor(clock().getTime() / HOUR_MS) * HOUR_MS
      count({ name, at, label, n, brandId: ALL_BRANDS })
      if (brandId !== undefined) count({ name, at, label, n, brandId })
    },
    take: () => {
      const taken = [...rows.values()]
      rows = new Map()
      return taken
    },
    giveBack: (taken) => {
      for (const row of taken) count(row)
    },
  }
}

const isOfBrand = ({ brandId }: CountedRow): boolean => brandId !== ALL_BRANDS && brandId !== OTHER_BRANDS
