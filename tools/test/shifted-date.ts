/** Simulates a machine with a wrong clock. */

/** Returns a `Date` whose current time is shifted by `offset()` milliseconds, which may change. */
export function shiftedDate(RealDate: DateConstructor, offset: () => number): DateConstructor {
  class ShiftedDate extends RealDate {
    constructor(...given: [] | [number | string | Date]) {
      if (given.length === 0) super(RealDate.now() + offset())
      else super(...(given as [number]))
    }

    static override now(): number {
      return RealDate.now() + offset()
    }
  }
  return ShiftedDate as DateConstructor
}
