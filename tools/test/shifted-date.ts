/** A `Date` whose present is shifted, as on a machine with a wrong clock. */

/** `offset` is in milliseconds, and may change. */
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
