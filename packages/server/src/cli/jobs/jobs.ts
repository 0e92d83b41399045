/** `ratafia jobs`: work on many records, which a service does in the background. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { type Command, Option } from 'commander'
import type { CommandContext, CommonOptions } from '../context.ts'
import { print, withJson, withList } from '../output.ts'
import { listRecords, printRecords } from '../service/records.ts'
import { type Access, goes, withService } from '../service/ways.ts'
import { describeJob, type ItemOutcome, isOver, type Jobs, jobsOf, requireWhole } from './jobs-of.ts'

const COLUMNS = [
  ...['id', 'kind', 'state', 'by', 'total', 'done', 'unchanged', 'refused'],
  ...['created_at', 'started_at', 'ended_at', 'note', 'parts', 'dry_run'],
]
const SHOWN = COLUMNS.slice(0, 9)
const ITEM_COLUMNS = ['subject', 'outcome', 'code', 'message', 'extra', 'result']
/** The columns without `extra`, whose errors the message also contains. */
const SHOWN_OF_ITEMS = ITEM_COLUMNS.filter((name) => name !== 'extra')
const MOST = 1_000
const OUTCOMES: readonly ItemOutcome[] = ['done', 'unchanged', 'refused', 'open']

interface ItemsOptions extends CommonOptions {
  readonly outcome?: ItemOutcome
}

export function jobCommands(parent: Command, context: CommandContext): void {
  const jobs = parent
    .command('jobs')
    .description('follow and cancel jobs: work on many records, such as bulk approvals')
  const withJobs = <T>(
    options: CommonOptions,
    access: Access,
    work: (jobs: Jobs) => Promise<T>,
  ): Promise<T> => withService(context, options, access, (service) => work(jobsOf(service, context.streams)))

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
    .action(async (id: string, options: CommonOptions) => {
      const job = await withJobs(options, 'read', (all) => all.find(id))
      print(context, options, job, describeJob(job))
    })

  goes(withList(jobs.command('items <job>'), ITEM_COLUMNS), 'both', ['jobItems'])
    .description('list the outcome of each record of a job, with the reason')
    .addOption(new Option('--outcome <outcome>', 'only records with this outcome').choices([...OUTCOMES]))
    .action(async (id: string, options: ItemsOptions) => {
      const items = await withJobs(options, 'read', (all) => all.items(id, options.outcome))
      printRecords(context, options, items, { columns: SHOWN_OF_ITEMS, empty: 'No records.' })
    })

  goes(withJson(jobs.command('wait <job>')), 'both', ['job'])
    .description('wait until a job finishes; exit code 1 if it did not do everything')
    .action(async (id: string, options: CommonOptions) => {
      const job = await withJobs(options, 'change', (all) => all.follow(id))
      print(context, options, job, describeJob(job))
      requireWhole(job)
    })

  goes(withJson(jobs.command('cancel <job>')), 'both', ['cancelJob'])
    .description('cancel a job between two records; finished records stay done')
    .action(async (id: string, options: CommonOptions) => {
      const job = await withJobs(options, 'change', (all) => all.cancel(id))
      const late = isOver(job) && job['state'] !== 'cancelled'
      const told = late ? 'The job had already finished; nothing was cancelled.' : describeJob(job)
      print(context, options, job, told)
    })
}
