/** The list of jobs. */
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { chip } from '../chip.ts'
import type { ConsoleContent } from '../layout.ts'
import { type ListPage, list } from '../list.ts'
import { relative } from '../time.ts'
import { type Job, jobChip, progressText } from './job-chips.ts'

const text = words.jobs

export interface JobsPage extends ListPage {
  readonly jobs: readonly Job[]
  readonly now: Date
  /** Whether these are the jobs of all users. */
  readonly ofAll: boolean
  /** Whether the user sees devices; a user who does not can only have jobs that revoke tokens. */
  readonly seesDevices: boolean
}

export const jobsPage = ({ jobs, next, query, now, ofAll, seesDevices }: JobsPage): ConsoleContent => ({
  title: text.title,
  section: 'jobs',
  body: list<Job>({
    ...{ path: '/console/jobs', query, rows: jobs, next, label: text.label },
    caption: ofAll ? text.all : text.mine,
    empty: emptyJobs({ ofAll, seesDevices }),
    columns: [
      {
        label: text.columns.job,
        cell: (job) =>
          html`<a href="/console/jobs/${encodeURIComponent(job.id)}">${visibleText(text.kindOf(job.kind), 64)}</a>${job.dry_run && html` ${chip(text.tried)}`}`,
      },
      { label: text.columns.state, cell: jobChip },
      { label: text.columns.progress, cell: (job) => progressText(job, now) },
      ...(ofAll ? [{ label: text.columns.by, cell: ({ by }: Job) => visibleText(by, 64) }] : []),
      { label: text.columns.made, cell: ({ created_at }) => relative(created_at, now) },
    ],
  }),
})

function emptyJobs({ ofAll, seesDevices }: Pick<JobsPage, 'ofAll' | 'seesDevices'>): Html {
  const { href, label, command } = seesDevices
    ? { href: '/console/devices', label: text.emptyStep, command: 'ratafia devices approve --help' }
    : { href: '/console/all-tokens', label: text.emptyStepTokens, command: 'ratafia tokens revoke --help' }
  return html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
<p><a class="button primary" href="${href}">${label}</a></p>
<p class="quiet">${text.emptyCommand} <code>${command}</code>. ${ofAll ? text.all : text.mine}</p>`
}
