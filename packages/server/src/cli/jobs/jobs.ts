/** `ratafia jobs`: work on many records, which a service does by itself. */
import { type Command, Option } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import type { CommandContext } from '../context.ts'
import type { Installation } from '../installation.ts'
import { type JsonOption, type ListOption, note, print, printList, withJson, withList } from '../output.ts'
import { asRow } from '../service/as-row.ts'
import { eitherWay, goes, type WayOptions } from '../service/ways.ts'
import { followJob } from './follow-job.ts'
import { describeJob, MOST_ITEMS, OPERATIONS, requireWhole } from './job-output.ts'

const COLUMNS = [
  ...['id', 'kind', 'state', 'by', 'total', 'done', 'unchanged', 'refused'],
  ...['created_at', 'started_at', 'ended_at', 'note'],
]
const SHOWN = COLUMNS.slice(0, 9)
const ITEM_COLUMNS = ['subject', 'outcome', 'code', 'message']
const MOST = 1_000
const OUTCOMES = ['done', 'unchanged', 'refused', 'open'] as const

interface ItemsOptions extends ListOption, WayOptions {
  readonly outcome?: (typeof OUTCOMES)[number]
}

export function jobCommands(parent: Command, context: CommandContext): void {
  const jobs = parent.command('jobs').description('work on many records, such as approvals')

  goes(withList(jobs.command('list'), COLUMNS), 'both', ['jobs'])
    .description('list your jobs, newest first; an operator sees all')
    .action((options: ListOption & WayOptions) => list(options, context))

  goes(withJson(jobs.command('show <job>')), 'both', ['job'])
    .description('show how far a job is')
    .action(async (id: string, options: JsonOption & WayOptions) => {
      const job = await eitherWay<JsonObject>(context, options, 'read', {
        directly: (installation) => lookDirectly(id, installation)(0),
        over: async (service) => (await service.call(OPERATIONS.job, { id })).record,
      })
      print(context, options, job, describeJob(job))
    })

  goes(withList(jobs.command('items <job>'), ITEM_COLUMNS), 'both', ['jobItems'])
    .description('list what became of each record of a job, and why')
    .addOption(new Option('--outcome <outcome>', 'only these').choices([...OUTCOMES]))
    .action((id: string, options: ItemsOptions) => listItems(id, options, context))

  goes(withJson(jobs.command('wait <job>')), 'both', ['job'])
    .description('wait until a job has ended; exit code 1 if it did not do all of it')
    .action(async (id: string, options: JsonOption & WayOptions) => {
      const job = await eitherWay<JsonObject>(context, options, 'read', {
        directly: (installation) => followJob(lookDirectly(id, installation), context.streams),
        over: (service) =>
          followJob(
            async (wait) => (await service.call(OPERATIONS.job, { id, query: { wait } })).record,
            context.streams,
          ),
      })
      print(context, options, job, describeJob(job))
      requireWhole(job)
    })

  goes(withJson(jobs.command('cancel <job>')), 'both', ['cancelJob'])
    .description('end a job between two records: what is done stays done')
    .action(async (id: string, options: JsonOption & WayOptions) => {
      const job = await eitherWay<JsonObject>(context, options, 'change', {
        directly: async (installation) => {
          const { jobRecord } = await import('../../management/jobs/job.ts')
          const { cancelJob } = await import('../../management/jobs/show-job.ts')
          return jobRecord(await cancelJob({ id, authority: installation.authority }, installation))
        },
        over: async (service) => (await service.call(OPERATIONS.cancel, { id, body: {} })).record,
      })
      print(context, options, job, describeJob(job))
    })
}

/** The job once it has ended, or after so many seconds. */
const lookDirectly =
  (id: string, installation: Installation) =>
  async (seconds: number): Promise<JsonObject> => {
    const { jobRecord } = await import('../../management/jobs/job.ts')
    const { waitForJob } = await import('../../management/jobs/show-job.ts')
    const { authority } = installation
    const signal = new AbortController().signal
    return jobRecord(await waitForJob({ id, authority, milliseconds: seconds * 1_000, signal }, installation))
  }

async function list(options: ListOption & WayOptions, context: CommandContext): Promise<void> {
  const { records, more } = await eitherWay(context, options, 'read', {
    directly: async (installation) => {
      const { jobRecord } = await import('../../management/jobs/job.ts')
      const { listJobs } = await import('../../management/jobs/show-job.ts')
      const { authority } = installation
      const { jobs, next } = await listJobs({ authority, before: undefined, limit: MOST }, installation)
      return { records: jobs.map(jobRecord) as readonly JsonObject[], more: next !== undefined }
    },
    over: (service) => service.list(OPERATIONS.jobs, 'jobs', { most: MOST }),
  })
  printList(context, options, records.map(asRow), { columns: SHOWN, empty: 'There are no jobs.' })
  if (more) note(context.streams, `Only the newest ${MOST} are shown.`)
}

async function listItems(id: string, options: ItemsOptions, context: CommandContext): Promise<void> {
  const { outcome } = options
  const { records } = await eitherWay(context, options, 'read', {
    directly: async (installation) => {
      const { itemRecord } = await import('../../management/jobs/job.ts')
      const { listItems } = await import('../../management/jobs/show-job.ts')
      const { authority } = installation
      const asked = { id, authority, outcome, after: undefined, limit: MOST_ITEMS }
      const { items } = await listItems(asked, installation)
      return { records: items.map(itemRecord) as readonly JsonObject[], more: false }
    },
    over: (service) => service.list(OPERATIONS.items, 'items', { id, query: { outcome }, most: MOST_ITEMS }),
  })
  printList(context, options, records.map(asRow), {
    columns: ITEM_COLUMNS,
    empty: 'There are no such items.',
  })
}
