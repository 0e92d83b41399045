/**
 * Runs one item of a job. The change, its audit log entry and the item's outcome are one transaction: a process that
 * dies leaves all of them or none, and the process that continues neither repeats nor loses anything (A16).
 */
import type { Authority } from '../../authority.ts'
import type { InChange } from '../../change.ts'
import { type ChangingBy, undone } from '../../change.ts'
import { RequestError } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { withJobFile } from './files/job-file.ts'
import type { Counts, Job, JobItem, JobOutcome } from './job.ts'
import { jobAuthority } from './job-authority.ts'
import type { JobFile } from './job-kind.ts'
import { jobKind } from './kinds.ts'

/** Another process settled the item, or the job has ended or may not continue. */
class NothingToDo extends Error {
  override readonly name = 'NothingToDo'
}

interface Running {
  readonly job: Job
  readonly item: JobItem
  readonly authority: Authority
  /** Aborts the reading of a file. */
  readonly interrupted: AbortSignal | undefined
}

/** Throws `Unavailable`, or the reason of `interrupted`; the item then stays open. */
export async function runItem({ job, item, authority, interrupted }: Running, stores: Stores): Promise<void> {
  const { id, kind: name, settings } = job
  const { place, subject } = item
  const kind = jobKind(name)
  if (!kind) throw new TypeError(`a job of the unknown kind ${name} runs`)
  let settled = false
  const settling =
    <On extends InChange>(begin: ChangingBy<On>): ChangingBy<On> =>
    (author) =>
    (work) =>
      begin(author)(async (on) => {
        settled = false
        if (!(await on.jobs.claim(id, place))) throw new NothingToDo()
        const value = await work(on)
        // An import takes long, so the job's authority may be gone by now.
        if (kind.fileSettings && typeof (await jobAuthority(job, { ...stores, ...on })) === 'string') {
          throw new NothingToDo()
        }
        const outcome = { outcome: outcomeOf(value), result: kind.fileSettings && countsIn(value) }
        await on.jobs.settle(id, { place, ...outcome, code: undefined, message: undefined, extra: undefined })
        settled = true
        return value
      })
  const settle = (outcome: JobOutcome, { why, result, says }: Settled = {}) =>
    stores.changeBy(authority.author)(async ({ jobs }) => {
      if (await jobs.claim(id, place)) {
        await jobs.settle(id, {
          place,
          outcome,
          code: why?.code,
          message: why?.message ?? says,
          extra: why?.extra,
          result,
        })
      }
    })
  const dryRun = settings['dry_run'] !== undefined
  const changes = dryRun
    ? { changeBy: undone(stores.changeBy), inImport: stores.inImport }
    : { changeBy: settling(stores.changeBy), inImport: settling(stores.inImport) }
  const act = (file?: JobFile) =>
    kind.act({ subject, authority, settings, dryRun, file }, { ...stores, ...changes })
  try {
    const { before, result, says } = await (kind.fileSettings
      ? withJobFile({ job, interrupted }, stores.jobs, act)
      : act())
    // An item that was already in the wanted state may have needed no transaction.
    if (!settled) await settle(before ? 'unchanged' : 'done', { result, says })
  } catch (error) {
    if (error instanceof NothingToDo) return
    if (!(error instanceof RequestError)) throw error
    await settle('refused', { why: error })
  }
}

interface Settled {
  readonly why?: RequestError
  readonly result?: Counts | undefined
  readonly says?: string | undefined
}

/** Returns the outcome of a decision: an operation returns `before: true` if it changed nothing. */
const outcomeOf = (result: unknown): JobOutcome =>
  typeof result === 'object' && result !== null && 'before' in result && result.before === true
    ? 'unchanged'
    : 'done'

/** Returns the counts from what an import's transaction returned. */
const countsIn = (result: unknown): Counts =>
  Object.fromEntries(Object.entries(result ?? {}).filter(([, count]) => typeof count === 'number'))
