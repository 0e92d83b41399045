/** `ratafia jobs`: work on many records, which a service does in the background. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { type Command, Option } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { print, withJson, withList } from '../output.ts'
import { listRecords, printRecord } from '../service/records.ts'
import { goes, withService } from '../service/ways.ts'
import { cancelJob, describeJob, followJob, isOver, MOST_ITEMS, requireWhole } from './follow-job.ts'

const COLUMNS = [
  ...['id', 'kind', 'state', 'by', 'total', 'done', 'unchanged', 'refused'],
  ...['created_at', 'started_at', 'ended_at', 'note', 'parts', 'dry_run'],
]
const SHOWN = COLUMNS.slice(0, 9)
const ITEM_COLUMNS = ['subject', 'outcome', 'code', 'message', 'extra', 'result']
/** The columns without `extra`, whose errors the message also contains. */
const SHOWN_OF_ITEMS = ITEM_COLUMNS.filter((name) => name !== 'extra')
const MOST = 1_000
const OUTCOMES = ['done', 'unchanged', 'refused', 'open']

export function jobCommands(parent: Command, context: CommandContext): void {
  const jobs = parent
    .command('jobs')
    .description('follow and cancel jobs: work on many records, such as bulk approvals')

  goes(withList(jobs.command('list'), COLUMNS), 'both', ['jobs'])
    .description('list your jobs, newest first; an operator sees all')
    .action((options: CommonOptions) =>
      listRecords(context, options, {
        ...{ operation: api.jobs, name: 'jobs', most: MOST, columns: SHOWN, empty: 'No jobs yet.' },
        more: `Only the newest ${MOST} are shown.`,
      }),
    )

  goes(withJson(jobs.command('show <job>')), 'both', ['job'])
    .description('show the progress of a job')
    .action((id: string, options: CommonOptions) =>
      printRecord(context, options, 'read', (service) => service.recordOf(api.job, { id }), describeJob),
    )

  goes(withList(jobs.command('items <job>'), ITEM_COLUMNS), 'both', ['jobItems'])
    .description('list the outcome of each record of a job, with the reason')
    .addOption(new Option('--outcome <outcome>', 'only records with this outcome').choices(OUTCOMES))
    .action((id: string, { outcome, ...options }: CommonOptions & { readonly outcome?: string }) =>
      listRecords(context, options, {
        ...{ operation: api.jobItems, name: 'items', asking: { id, query: { outcome } }, most: MOST_ITEMS },
        ...{ columns: SHOWN_OF_ITEMS, empty: 'No records.', filters: { outcome } },
      }),
    )

  goes(withJson(jobs.command('wait <job>')), 'both', ['job'])
    .description('wait until a job finishes; exit code 1 if it did not do everything')
    .action(async (id: string, options: CommonOptions) => {
      const job = await withService(context, options, 'change', (service) =>
        followJob(service, id, context.streams),
      )
      print(context, options, job, describeJob(job))
      requireWhole(job)
    })

  goes(withJson(jobs.command('cancel <job>')), 'both', ['cancelJob'])
    .description('cancel a job between two records; finished records stay done')
    .action((id: string, options: CommonOptions) => {
      const told = (job: JsonObject) =>
        isOver(job) && job['state'] !== 'cancelled'
          ? 'The job had already finished; nothing was cancelled.'
          : describeJob(job)
      return printRecord(context, options, 'change', (service) => cancelJob(service, id), told)
    })
}
