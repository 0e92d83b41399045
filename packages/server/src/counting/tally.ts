/** Counting what happens, for the plots of administrators. */
import type { CounterLabel, CounterName } from '@ratafia/api'

export interface Tally {
  /** Counts something at this moment. `brandId` may be one that is not there: then only the whole counts. */
  add<Name extends CounterName>(
    name: Name,
    label: CounterLabel<Name>,
    brandId?: string | undefined,
    times?: number,
  ): void
}

/** Counts nothing. */
export const UNCOUNTED: Tally = { add: () => {} }
