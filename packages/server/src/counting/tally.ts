/** Counts events for the charts of administrators. */
import type { CounterLabel, CounterName } from '@ratafia/api'

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
