/** Shifts the clock of this process, for test files with their own process. Timers are not affected. */
import { shiftedDate } from '../../../../tools/test/shifted-date.ts'

/** Runs `work` with the clock `milliseconds` ahead, and returns its result. */
export async function withShiftedClock<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const RealDate = Date
  globalThis.Date = shiftedDate(RealDate, () => milliseconds)
  try {
    return await work()
  } finally {
    globalThis.Date = RealDate
  }
}
