/** Loaded into a node with `--import`: its clock is off by so many milliseconds. */

const offset = Number(process.env['FAULTS_CLOCK_OFFSET_MS'] ?? 0)
const RealDate = Date

class ShiftedDate extends RealDate {
  constructor(...given: [] | [number | string | Date]) {
    if (given.length === 0) super(RealDate.now() + offset)
    else super(...(given as [number]))
  }

  static override now(): number {
    return RealDate.now() + offset
  }
}

globalThis.Date = ShiftedDate as DateConstructor

// For whoever started it, to see that it is off.
process.stderr.write(`clock ${new Date().toISOString()}\n`)
