/** How commands follow and describe jobs: work on many records, which a service does in the background. */
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

/** More items than any job has. */
export const MOST_ITEMS = 100_000

/** How long each request waits, in seconds: shorter at a terminal, so that a user sees progress. */
const WAIT = { watched: 2, unwatched: 20 } as const

/**
 * Shows the progress of a job, and returns the job once it has ended. Throws as `Service.call` does, and the reason
 * of `interrupted` once it aborts.
 */
export const followJob = (
  service: Service,
  id: string,
  streams: Streams,
  interrupted?: AbortSignal,
): Promise<JsonObject> =>
  service.meanwhile(
    () =>
      withProgress(streams, ['Deciding', 'records'], async (onProgress) => {
        const query = { wait: streams.stderr.isTTY ? WAIT.watched : WAIT.unwatched }
        for (;;) {
          const job = await unlessAborted(service.recordOf(api.job, { id, query }), interrupted)
          const { total, done, unchanged, refused } = job
          onProgress(Number(done) + Number(unchanged) + Number(refused), Number(total))
          if (isOver(job)) return job
        }
      }),
    interrupted,
  )

/** Does the same for a job that this command created. Ctrl-C and SIGTERM cancel the job. */
export const finishJob = (service: Service, id: string, streams: Streams): Promise<JsonObject> =>
  interruptible((interrupted) =>
    followJob(service, id, streams, interrupted).catch((error: unknown) => {
      if (error !== interrupted.reason) throw error
      return cancelJob(service, id)
    }),
  )

export const cancelJob = (service: Service, id: string): Promise<JsonObject> =>
  service.recordOf(api.cancelJob, { id, body: {} })

/** Returns the items of a job; with `outcome`, only those. Throws as `Service.call` does. */
export async function itemsOf(
  service: Service,
  id: string,
  outcome?: 'refused',
): Promise<readonly JsonObject[]> {
  return (await service.list(api.jobItems, 'items', { id, query: { outcome }, most: MOST_ITEMS })).records
}

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
