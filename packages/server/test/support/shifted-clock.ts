/** Sets the clock of this process wrong: for files that have a process of their own. Its timers are not affected. */
import { shiftedDate } from '../../../../tools/test/shifted-date.ts'

/** Resolves to what `work` does, with the clock `milliseconds` ahead. */
export async function withShiftedClock<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const RealDate = Date
  globalThis.Date = shiftedDate(RealDate, () => milliseconds)
  try {
    return await work()
  } finally {
    globalThis.Date = RealDate
  }
}
