/** A progress bar on standard error, shown only at a terminal. */
import type { Streams } from './context.ts'

/** Fewer items are done before a user could look. */
const WORTHWHILE = 500
/** The time between two updates of the bar, in milliseconds. */
const PAUSE_MS = 100
/** The width of the bar in characters. */
const BAR = 40
const COLUMNS = 80

/** Moves to the start of the line and clears it. */
const CLEAR = '\r\x1b[K'

/** Shows the progress of `work`, with its label and unit, in one line that is cleared when it ends. */
export async function withProgress<T>(
  { stderr }: Streams,
  what: string | readonly [label: string, unit: string],
  work: (onProgress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  if (!stderr.isTTY) return work(() => undefined)
  const [label, unit] = typeof what === 'string' ? [what, ''] : what
  let drawnAt: number | undefined
  try {
    return await work((done, total) => {
      const now = performance.now()
      if (total < WORTHWHILE || now - (drawnAt ?? -PAUSE_MS) < PAUSE_MS) return
      drawnAt = now
      // A line that wraps could not be cleared. A terminal without a size has 0 columns.
      stderr.write(CLEAR + lineOf({ label, unit, done, total }).slice(0, (stderr.columns || COLUMNS) - 1))
    })
  } finally {
    if (drawnAt !== undefined) stderr.write(CLEAR)
  }
}

/** Returns a line such as `Checking ████░░░░ 50% 10000/20000 devices`. */
function lineOf({ label, unit, done, total }: Readonly<Record<'label' | 'unit', string>> & Counts): string {
  const part = Math.min(Math.max(done / total, 0), 1)
  const full = Math.round(part * BAR)
  const bar = '█'.repeat(full) + '░'.repeat(BAR - full)
  return `${label} ${bar} ${Math.floor(part * 100)}% ${done}/${total} ${unit}`.trimEnd()
}

type Counts = Readonly<Record<'done' | 'total', number>>
