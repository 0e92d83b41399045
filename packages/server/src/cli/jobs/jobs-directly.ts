/** Jobs on the database. The command does what waits, as a node of the service does, unless one does it already. */
import { undone } from '../../change.ts'
import { filterIn } from '../../devices/administration/device-query.ts'
import type { JsonObject } from '../../foreign-json.ts'
import type { Installation } from '../../installation.ts'
import { runJobs } from '../../jobs/run-jobs.ts'
import { itemRecord, jobRecord } from '../../management/jobs/job.ts'
import { makeJob, type WantedJob } from '../../management/jobs/make-job.ts'
import { previewJob, previewRecord } from '../../management/jobs/preview-job.ts'
import { periodicJobs } from '../../management/jobs/run-jobs.ts'
import { cancelJob, findJob, listItems, waitForJob } from '../../management/jobs/show-job.ts'
import type { Streams } from '../context.ts'
import { followJob } from './follow-job.ts'
import { MOST_ITEMS } from './job-output.ts'
import type { AskedJob, JobWay } from './job-way.ts'

export function jobsDirectly(installation: Installation, streams: Streams): JobWay {
  const { authority } = installation
  const wanted = ({ filter, ...rest }: AskedJob): WantedJob => ({
    ...rest,
    authority,
    // The command wrote its instants itself.
    ...(filter && { filter: filterIn(filter, (_field, text) => new Date(text)) }),
  })
  const look = async (id: string, milliseconds: number): Promise<JsonObject> => {
    const { signal } = new AbortController()
    return jobRecord(await waitForJob({ id, authority, milliseconds, signal }, installation))
  }
  return {
    make: async (asked) => jobRecord(await makeJob(wanted(asked), installation)),
    preview: async (asked) => {
      const deps = { ...installation, changeBy: undone(installation.changeBy) }
      return previewRecord(await previewJob(wanted(asked), deps))
    },
    find: async (id) => jobRecord(await findJob({ id, authority }, installation)),
    follow: (id) =>
      whileDoing(installation, () => followJob((seconds) => look(id, seconds * 1_000), streams)),
    items: async (id, outcome) => {
      const asked = { id, authority, outcome, after: undefined, limit: MOST_ITEMS }
      return (await listItems(asked, installation)).items.map(itemRecord)
    },
    cancel: async (id) => jobRecord(await cancelJob({ id, authority }, installation)),
  }
}

/** A person waits: the first look comes at once. */
const EVERY_MS = 50

/** Does the jobs that wait for as long as `work` takes. Throws what ends a job by a fault, and `Unavailable`. */
async function whileDoing<T>(installation: Installation, work: () => Promise<T>): Promise<T> {
  const failed = Promise.withResolvers<never>()
  // Also if nobody waits for it any more.
  failed.promise.catch(() => {})
  const jobs = [{ ...periodicJobs(installation), everyMs: EVERY_MS }]
  const doing = runJobs(jobs, { leases: installation.leases, onError: failed.reject })
  try {
    return await Promise.race([work(), failed.promise])
  } finally {
    await doing.stop()
  }
}
