/** Makes days of old hours: what is shown by the hour is of the last day. */
import type { Clock } from '../clock.ts'
import type { CounterStore } from './counter-store.ts'
import { DAY_MS } from './series.ts'

const HOURS_KEPT_MS = 45 * DAY_MS

interface FoldDeps {
  readonly counters: Pick<CounterStore, 'foldHour'>
  readonly clock: Clock
  /** False: to be ended. */
  readonly goOn: () => Promise<boolean>
}

export async function foldHours({ counters, clock, goOn }: FoldDeps): Promise<void> {
  const before = new Date(clock().getTime() - HOURS_KEPT_MS)
  while ((await counters.foldHour(before, DAY_MS)) && (await goOn()));
}
