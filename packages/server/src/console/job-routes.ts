/** Routes for the job pages. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { RequestError } from '../errors.ts'
import type { ConsoleAsked } from '../http/console/asked.ts'
import { type ConsoleRoutes, GoTo } from '../http/console/console-routes.ts'
import { isOpen, type Job } from '../web/console/jobs/job-chips.ts'
import { jobsPage } from '../web/console/jobs/job-list-page.ts'
import {
  addressOfJob,
  cancelJobPage,
  jobPage,
  type Startable,
  startJobPage,
} from '../web/console/jobs/job-page.ts'
import { may } from '../web/console/may.ts'
import { words } from '../web/words/en.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.jobs

const found = ({ call, parameters }: ConsoleAsked): Promise<Job> => call(api.job, { parameters })

export function jobPageRoutes({ page, form, file }: ConsoleRoutes): void {
  page('/jobs', async ({ call, query, now, me }) => {
    const { jobs, next } = await call(api.jobs, { query: { cursor: query.get('cursor') } })
    const sees = { ofAll: may(me, 'roles:manage'), seesDevices: may(me, 'devices:read') }
    return jobsPage({ jobs, next, query, now, ...sees })
  })

  page('/jobs/:id', async (asked) => {
    const { call, parameters, query, now } = asked
    const job = await found(asked)
    const which = { outcome: query.get('outcome'), cursor: query.get('cursor') }
    const { items, next } = await call(api.jobItems, { parameters, query: which })
    return jobPage({ job, items, next, query, now, startable: await startableOf(job, asked) })
  })

  form('/jobs/:id/cancel', {
    show: async (asked) => cancelJobPage({ form: asked.form, job: await found(asked) }),
    send: async (asked) => {
      const before = await found(asked)
      const job = await asked.call(api.cancelJob, { parameters: asked.parameters })
      return new GoTo(addressOfJob(job), isOpen(before) ? text.cancelled : text.wasOver)
    },
  })

  form('/jobs/:id/start', {
    show: async (asked) => {
      const job = await found(asked)
      return startJobPage({ form: asked.form, job, startable: await startableOf(job, asked) })
    },
    send: async ({ call, parameters }) =>
      new GoTo(addressOfJob(await call(api.startJob, { parameters })), text.started),
  })

  file('/jobs/:id/items/export', ({ call, parameters, query }) =>
    call(api.exportJob, {
      parameters,
      query: { outcome: query.get('outcome'), format: query.get('format') },
    }),
  )
}

/** Uses a dry run to check whether the job can be started. */
async function startableOf(job: Job, { call, parameters }: ConsoleAsked): Promise<Startable | undefined> {
  if (job.state !== 'uploading') return undefined
  try {
    await call(api.startJob, { parameters, dryRun: true })
    return true
  } catch (error) {
    if (error instanceof RequestError && NOT_NOW.has(error.code)) return error.message
    throw error
  }
}

/** The errors for a job whose parts are missing, or that another login created. */
const NOT_NOW: ReadonlySet<string> = new Set(['state-conflict', 'permission-denied'])
