/** Routes for jobs in the management API. */
import {
  type DeviceFilterSchema,
  MANAGEMENT_OPERATIONS,
  MANAGEMENT_PREFIX,
  MOST_JOB_WAIT,
} from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { tried } from '../../change.ts'
import { invalidField } from '../../errors.ts'
import {
  type AddManagementRoute,
  type Asked,
  Reply,
  seenAs,
  type Unread,
} from '../../http/management/management-route.ts'
import { cursorOf, positionIn } from '../../http/management/pages.ts'
import { Streamed } from '../../http/management/streamed.ts'
import type { Stores } from '../../stores.ts'
import {
  importFile,
  makeFileJob,
  ownFileJob,
  putPart,
  requireMaySendFile,
  startFileJob,
} from './files/make-file-job.ts'
import { isOver, itemRecord, type Job, jobRecord } from './job.ts'
import { type JobAuthority, makeJob, makeVerification, type WantedJob } from './make-job.ts'
import { previewJob, previewRecord } from './preview-job.ts'
import { cancelJob, exportItems, findJob, listItems, listJobs, waitForJob } from './show-job.ts'

interface JobRouteDeps extends Stores {
  /** Returns the filter of a body. Throws `invalid-field` with the field `place`. */
  readonly filterIn: (asked: Static<typeof DeviceFilterSchema>, place: string) => WantedJob['filter']
}

const isAny = (options: object): boolean => Object.values(options).some((value) => value !== undefined)

const notWithFile = () =>
  invalidField('A job that imports a file cannot have ids, filter, expected or reason.', { field: 'body' })
const onlyWithFile = (field: string) =>
  invalidField(`${field} is missing: the other options need a file.`, { field })
const emptyFile = () => invalidField('The body is empty: send the file, or a part of it.', { field: 'body' })

const refuseFile = ({ authority, query: { kind } }: Unread): void => requireMaySendFile(authority, kind)

/** How many requests of one account can wait for a job at a time; more are answered at once. */
const MOST_WAITING = 8

export function jobRoutes(add: AddManagementRoute<JobAuthority>, deps: JobRouteDeps): void {
  const api = MANAGEMENT_OPERATIONS
  const waiting = new Map<string, number>()

  /** Returns the job once it has ended, or after that many seconds. */
  const settledIn = async (
    seconds: number,
    id: string,
    { authority, hold }: Pick<Asked<typeof api.job, JobAuthority>, 'authority' | 'hold'>,
  ): Promise<Job> => {
    const account = authority.accountId ?? ''
    const others = waiting.get(account) ?? 0
    if (seconds === 0 || others >= MOST_WAITING) return findJob({ id, authority }, deps)
    waiting.set(account, others + 1)
    try {
      const milliseconds = Math.min(seconds, MOST_JOB_WAIT) * 1_000
      return await waitForJob({ id, authority, milliseconds, signal: hold() }, deps)
    } finally {
      const left = (waiting.get(account) ?? 1) - 1
      if (left === 0) waiting.delete(account)
      else waiting.set(account, left)
    }
  }

  add(api.jobs, async ({ authority, query }) => {
    const { limit = 100 } = query
    const [after] = positionIn(query, 1) ?? []
    const { rows, next } = await listJobs({ authority, after, limit }, deps)
    return { jobs: rows.map(jobRecord), next: cursorOf(next && [next.id], query) }
  })

  /** For callers who wait, answers once the job has ended. A job that only tries also has an address. */
  const replyWith = async (
    made: Job,
    asked: Pick<Asked<typeof api.makeJob, JobAuthority>, 'authority' | 'hold' | 'mayTake'>,
  ): Promise<Reply> => {
    const { mayTake } = asked
    const location = `${MANAGEMENT_PREFIX}/jobs/${made.id}`
    if (mayTake === 0) return new Reply(jobRecord(made), { headers: { location } })
    const job = await settledIn(mayTake, made.id, asked)
    const headers = { location, 'preference-applied': `wait=${mayTake}` }
    return new Reply(jobRecord(job), isOver(job.state) ? { status: 200, headers } : { headers })
  }

  add(
    api.makeJob,
    async (asked) => {
      const { authority, body, dryRun, query, mediaType } = asked
      const { kind: fileKind, ...said } = query
      if (fileKind !== undefined) {
        if (!(body instanceof Uint8Array) || body.length === 0) throw emptyFile()
        const wanted = { kind: fileKind, options: said, mediaType, tried: dryRun, authority, body }
        return replyWith(await importFile(wanted, deps), asked)
      }
      if (body instanceof Uint8Array || isAny(said)) throw onlyWithFile('query/kind')
      const { filter, parts, format, model, unknown_models, replace_all, ...rest } = body
      const options = { format, model, unknown_models, replace_all }
      if (parts !== undefined) {
        const { kind } = rest
        if (filter ?? rest.ids ?? rest.expected ?? rest.reason) throw notWithFile()
        return replyWith(await makeFileJob({ kind, parts, options, tried: dryRun, authority }, deps), {
          ...asked,
          mayTake: 0,
        })
      }
      if (isAny(options)) throw onlyWithFile('body/parts')
      const wanted = { ...rest, authority, filter: filter && deps.filterIn(filter, 'body/filter') }
      if (dryRun) {
        const preview = await previewJob(wanted, tried(asked, deps))
        return new Reply(previewRecord(preview), { status: 200 })
      }
      return replyWith(await makeJob(wanted, deps), asked)
    },
    refuseFile,
  )

  add(api.verifyAudit, async (asked) =>
    jobRecord(
      await makeVerification({ expect: asked.body.expect, authority: asked.authority }, tried(asked, deps)),
    ),
  )

  const changeOf = (
    asked: Pick<Asked<typeof api.job, JobAuthority>, 'authority' | 'parameters' | 'ifMatch'>,
  ) => ({
    ...{ id: asked.parameters['id'] ?? '', authority: asked.authority },
    mustBeSeen: seenAs(asked, jobRecord),
  })

  add(
    api.putJobPart,
    async (asked) => {
      const { body, parameters } = asked
      const { part = '' } = parameters
      const place = /^[1-9][0-9]{0,3}$/.test(part) ? Number(part) : 0
      if (!(body instanceof Uint8Array) || body.length === 0) throw emptyFile()
      return jobRecord(await putPart({ ...changeOf(asked), place, body }, tried(asked, deps)))
    },
    async ({ authority, parameters: { id = '' } }) => void (await ownFileJob({ id, authority }, deps)),
  )

  add(api.startJob, async (asked) => jobRecord(await startFileJob(changeOf(asked), tried(asked, deps))))

  add(api.job, async (asked) => {
    const { id = '' } = asked.parameters
    // No caller can wait for a job of another account.
    await findJob({ id, authority: asked.authority }, deps)
    return jobRecord(await settledIn(asked.query.wait ?? 0, id, asked))
  })

  add(api.jobItems, async ({ authority, parameters: { id = '' }, query }) => {
    const { outcome, limit = 100 } = query
    const [text] = positionIn(query, 1) ?? []
    // An invalid cursor starts from the first page.
    const after = text !== undefined && /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined
    const { rows, next } = await listItems({ id, authority, outcome, after, limit }, deps)
    return { items: rows.map(itemRecord), next: cursorOf(next && [String(next.place)], query) }
  })

  add(api.exportJob, async ({ authority, parameters: { id = '' }, query }) => {
    const { outcome, format = 'ndjson' } = query
    const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson'
    return new Streamed(type, `job.${format}`, await exportItems({ id, authority, outcome, format }, deps))
  })

  add(api.cancelJob, async (asked) => jobRecord(await cancelJob(changeOf(asked), tried(asked, deps))))
}
