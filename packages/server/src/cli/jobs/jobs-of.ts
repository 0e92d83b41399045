/** The functions that commands use for jobs. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { JsonObject } from '../../foreign-json.ts'
import type { Streams } from '../context.ts'
import { interruptible, unlessAborted } from '../interruption.ts'
import { withProgress } from '../progress.ts'
import type { Service } from '../service/service.ts'
import { isOver, MOST_ITEMS } from './job-output.ts'

/** The body of `POST /jobs`. */
export interface AskedJob {
  readonly kind: string
  readonly ids?: readonly string[]
  /** The query of `GET /devices`. */
  readonly filter?: object
  readonly expected?: number
  readonly reason?: string
}

export type ItemOutcome = 'done' | 'unchanged' | 'refused' | 'open'

/** Every function throws as `Service.call` does. */
export interface Jobs {
  make(asked: AskedJob): Promise<JsonObject>
  preview(asked: AskedJob): Promise<JsonObject>
  find(id: string): Promise<JsonObject>
  /** Shows the progress of a job, and returns the job once it has ended. */
  follow(id: string): Promise<JsonObject>
  /** Does the same for a job that this command created. Ctrl-C and SIGTERM cancel the job. */
  finish(id: string): Promise<JsonObject>
  items(id: string, outcome: ItemOutcome | undefined): Promise<readonly JsonObject[]>
  cancel(id: string): Promise<JsonObject>
}

export function jobsOf(service: Service, streams: Streams): Jobs {
  const follow: Followed = (id, interrupted) => {
    const look = async (wait: number) => (await service.call(api.job, { id, query: { wait } })).record
    return service.meanwhile(() => followJob(look, streams, interrupted), interrupted)
  }
  const cancel = async (id: string) => (await service.call(api.cancelJob, { id, body: {} })).record
  return {
    make: async (body) => (await service.call(api.makeJob, { body })).record,
    preview: async (body) => (await service.call(api.makeJob, { body, query: { dry_run: true } })).record,
    find: async (id) => (await service.call(api.job, { id })).record,
    follow,
    finish: (id) =>
      interruptible((interrupted) =>
        follow(id, interrupted).catch((error: unknown) => {
          if (error !== interrupted.reason) throw error
          return cancel(id)
        }),
      ),
    items: async (id, outcome) =>
      (await service.list(api.jobItems, 'items', { id, query: { outcome }, most: MOST_ITEMS })).records,
    cancel,
  }
}

/** Throws the reason of `interrupted` once it aborts. */
type Followed = (id: string, interrupted?: AbortSignal) => Promise<JsonObject>

/** How long each request waits, in seconds: shorter at a terminal, so that a user sees progress. */
const WAIT = { watched: 2, unwatched: 20 } as const

/** Follows a job. `look` returns the job once it has finished, or after the given number of seconds. */
const followJob = (
  look: (seconds: number) => Promise<JsonObject>,
  streams: Streams,
  interrupted: AbortSignal | undefined,
): Promise<JsonObject> =>
  withProgress(streams, ['Deciding', 'records'], async (onProgress) => {
    for (;;) {
      const job = await unlessAborted(look(streams.stderr.isTTY ? WAIT.watched : WAIT.unwatched), interrupted)
      const { total, done, unchanged, refused } = job
      onProgress(Number(done) + Number(unchanged) + Number(refused), Number(total))
      if (isOver(job)) return job
    }
  })
