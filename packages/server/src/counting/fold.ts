/** Folds old hours into days. Only the last day is shown by the hour. */
import type { Clock } from '../clock.ts'
import type { CounterStore } from './counter-store.ts'
import { DAY_MS } from './series.ts'

const HOURS_KEPT_MS = 45 * DAY_MS

interface FoldDeps {
  readonly counters: Pick<CounterStore, 'foldHour'>
  readonly clock: Clock
  /** Resolves to false when the work should stop. */
  readonly goOn: () => Promise<boolean>
}

export async function foldHours({ counters, clock, goOn }: FoldDeps): Promise<void> {
  const before = new Date(clock().getTime() - HOURS_KEPT_MS)
  while ((await counters.foldHour(before, DAY_MS)) && (await goOn()));
}
