/** Loaded into a node with `--import`: shifts its clock. SIGUSR2 sets the clock by another step, and then back. */
import { shiftedDate } from '../../tools/test/shifted-date.ts'

const offset = Number(process.env['FAULTS_CLOCK_OFFSET_MS'] ?? 0)
const step = Number(process.env['FAULTS_CLOCK_STEP_MS'] ?? 0)
let stepped = false

globalThis.Date = shiftedDate(Date, () => (stepped ? offset + step : offset))

// Reports the time of the clock to the parent process: a signal is not handled at once, and two may become one.
const tell = () => process.stderr.write(`clock ${new Date().toISOString()}\n`)

process.on('SIGUSR2', () => {
  stepped = !stepped
  tell()
})

tell()
