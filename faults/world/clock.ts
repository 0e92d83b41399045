/** Loaded into a node with `--import`: shifts its clock by a number of milliseconds. */

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

// Tells the process that started it that the clock is shifted.
process.stderr.write(`clock ${new Date().toISOString()}\n`)
