/** A progress bar on standard error, where a person watches; nothing elsewhere. */
import type { SingleBar } from 'cli-progress'
import type { Streams } from './context.ts'

/** With fewer items it is over before one can look. */
const WORTHWHILE = 500

/** Shows how far `work` is, with what is counted; the bar is gone when it ends. */
export async function withProgress<T>(
  { stderr }: Streams,
  what: string | readonly [label: string, unit: string],
  work: (onProgress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  if (!stderr.isTTY) return work(() => undefined)
  const [label, unit] = typeof what === 'string' ? [what, ''] : what
  const { default: progress } = await import('cli-progress')
  let bar: SingleBar | undefined
  try {
    return await work((done, total) => {
      if (total < WORTHWHILE) return
      if (!bar) {
        bar = new progress.SingleBar(
          {
            format: `${label} {bar} {percentage}% {value}/{total} ${unit}`.trimEnd(),
            stream: stderr as NodeJS.WritableStream,
            clearOnComplete: true,
          },
          progress.Presets.shades_classic,
        )
        bar.start(total, 0)
      }
      bar.update(done)
    })
  } finally {
    bar?.stop()
  }
}
