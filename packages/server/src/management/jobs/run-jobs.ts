/** Runs the waiting jobs, a batch of each in turn, so that a long one does not delay the others. */
import type { Author } from '../../change.ts'
import { Unavailable } from '../../errors.ts'
import type { Job as PeriodicJob } from '../../jobs/run-jobs.ts'
import type { Stores } from '../../stores.ts'
import { isOver, JOBS_LEASE, type Job, type JobState } from './job.ts'
import { jobAuthor, jobAuthority } from './job-authority.ts'
import { runItem } from './run-item.ts'

/** Items per batch; the permissions of the author are checked again between batches. */
const ITEMS_BETWEEN_CHECKS = 100
/** How many jobs take turns. */
const AT_ONCE = 20

/** The periodic job of a process. Only one process runs it at a time. `interrupted` also stops an import. */
export const periodicJobs = (stores: Stores, interrupted?: AbortSignal): PeriodicJob => ({
  name: JOBS_LEASE,
  everyMs: 1_000,
  run: (goOn) => runJobs(goOn, stores, interrupted),
})

/** Runs until no job is active, or `goOn` returns false. An unexpected error marks its job `failed`, and is thrown. */
export async function runJobs(
  goOn: () => Promise<boolean>,
  stores: Stores,
  interrupted?: AbortSignal,
): Promise<void> {
  for (;;) {
    const active = await stores.jobs.active(AT_ONCE)
    if (active.length === 0) return
    for (const job of active) {
      if (!(await runBatch({ job, goOn, interrupted }, stores))) return
    }
  }
}

interface Batch {
  readonly job: Job
  readonly goOn: () => Promise<boolean>
  readonly interrupted: AbortSignal | undefined
}

/** Returns false if the process should stop. */
async function runBatch({ job, goOn, interrupted }: Batch, stores: Stores): Promise<boolean> {
  const items = await stores.jobs.open(job.id, ITEMS_BETWEEN_CHECKS)
  // Checked first: a job whose items are all settled is done, even if its author has lost the permission.
  if (items.length === 0) {
    await endJob(job, 'done', stores)
    return goOn()
  }
  const authority = await jobAuthority(job, stores)
  if (typeof authority === 'string') {
    await endJob(job, 'stopped', stores, authority)
    return goOn()
  }
  await stores.jobs.start(job.id, stores.clock())
  for (const item of items) {
    if (!(await goOn())) return false
    try {
      await runItem({ job, item, authority, interrupted }, stores)
    } catch (error) {
      if (interrupted?.aborted) return false
      // The job continues when the missing service is back.
      if (!(error instanceof Unavailable))
        await endJob(job, 'failed', stores, 'The job failed because of an internal error.')
      throw error
    }
  }
  return true
}

/** Ends the job in the name of its author. */
const endJob = async (job: Job, state: JobState, stores: Stores, note?: string): Promise<void> =>
  void (await endBy(jobAuthor(job), { job, state, note }, stores))

interface Ending {
  readonly job: Pick<Job, 'id'>
  readonly state: JobState
  readonly note: string | undefined
  /** Throws `version-mismatch` for a job other than the one that the caller has seen. */
  readonly mustBeSeen?: ((now: Job) => void) | undefined
}

const FIRST = { outcome: undefined, after: undefined, limit: 1 } as const

/** Ends the job, with an audit log entry. Returns the job, unchanged if it was over already. */
export const endBy = (
  author: Author,
  { job: { id }, state, note, mustBeSeen }: Ending,
  { changeBy, clock }: Stores,
): Promise<Job | undefined> =>
  changeBy(author)(async ({ jobs, record }) => {
    const now = await jobs.lock(id)
    if (!now) return undefined
    mustBeSeen?.(now)
    if (isOver(now.state)) return now
    const endedAt = clock()
    await jobs.end(id, state, endedAt, note)
    const { kind, total, counts } = now
    // The log keeps the result of an import or verification longer than the job is kept.
    const [only] = total === 1 ? await jobs.items(id, FIRST) : []
    await record({
      action: 'job.end',
      subject: id,
      details: { ...only?.result, kind, state, total, ...counts, note: note ?? null },
    })
    return { ...now, state, endedAt, note }
  })
