/** How commands create, follow and describe jobs: work on many records, which a service does in the background. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { stateConflict } from '../../errors.ts'
import type { JsonObject } from '../../foreign-json.ts'
import type { Streams } from '../context.ts'
import { interruptible, unlessAborted } from '../interruption.ts'
import { counted } from '../output.ts'
import { withProgress } from '../progress.ts'
import type { Service } from '../service/service.ts'

/** The operations of commands that send a file. */
export const IMPORT_OPERATIONS = ['makeJob', 'putJobPart', 'startJob', 'job', 'jobItems']

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
    const look = (wait: number) => service.recordOf(api.job, { id, query: { wait } })
    return service.meanwhile(() => followJob(look, streams, interrupted), interrupted)
  }
  const cancel = (id: string) => service.recordOf(api.cancelJob, { id, body: {} })
  return {
    make: (body) => service.recordOf(api.makeJob, { body }),
    preview: (body) => service.recordOf(api.makeJob, { body, query: { dry_run: true } }),
    find: (id) => service.recordOf(api.job, { id }),
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

/** More items than any job has. */
const MOST_ITEMS = 100_000

export const isOver = ({ state }: JsonObject): boolean =>
  state !== 'uploading' && state !== 'queued' && state !== 'running'

/** Throws `RequestError`, for exit code 1, if the job did not finish or if records were refused. */
export function requireWhole({ id, state, total, refused }: JsonObject): void {
  if (state !== 'done') throw stateConflict(`The job ${id} is ${state}. It did not finish.`)
  if (Number(refused) === 0) return
  throw stateConflict(
    `${refused} of ${counted(Number(total), 'record')} ${Number(refused) === 1 ? 'was' : 'were'} refused. \`ratafia jobs items ${id} --outcome refused\` shows the reasons.`,
  )
}

/** Describes a job in one sentence. */
export function describeJob(job: JsonObject): string {
  const { id, kind, state, total, done, unchanged, refused, note } = job
  const parts = [
    `${done} of ${counted(Number(total), 'record')} done`,
    ...(Number(unchanged) > 0 ? [`${unchanged} unchanged`] : []),
    ...(Number(refused) > 0 ? [`${refused} refused`] : []),
  ]
  const why = typeof note === 'string' ? ` ${note}` : ''
  const how = state === 'done' ? 'finished' : `is ${state}`
  return `The job ${id} (${kind}) ${how}: ${parts.join(', ')}.${why}`
}
