/** Waits for the end of a job, and shows how far it is. */
import type { JsonObject } from '../../foreign-json.ts'
import type { Streams } from '../context.ts'
import { withProgress } from '../progress.ts'
import { isOver } from './job-output.ts'

/** Seconds: shorter where a person watches. */
const WAIT = { watched: 2, unwatched: 20 } as const

/** `look` answers with the job once it has ended, or after so many seconds. */
export const followJob = (
  look: (seconds: number) => Promise<JsonObject>,
  streams: Streams,
): Promise<JsonObject> =>
  withProgress(streams, ['Deciding', 'items'], async (onProgress) => {
    for (;;) {
      const job = await look(streams.stderr.isTTY ? WAIT.watched : WAIT.unwatched)
      const { total, done, unchanged, refused } = job
      onProgress(Number(done) + Number(unchanged) + Number(refused), Number(total))
      if (isOver(job)) return job
    }
  })
