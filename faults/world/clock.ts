/** Loaded into a node with `--import`: shifts its clock by a number of milliseconds. */
import { shiftedDate } from '../../tools/test/shifted-date.ts'

const offset = Number(process.env['FAULTS_CLOCK_OFFSET_MS'] ?? 0)

globalThis.Date = shiftedDate(Date, () => offset)

// Tells the process that started it that the clock is shifted.
process.stderr.write(`clock ${new Date().toISOString()}\n`)
