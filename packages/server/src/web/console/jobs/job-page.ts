/** The job page: its progress, and the outcome of each of its records. */
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, type HtmlValue, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, type FormState, postForm, submit } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { addressOf, filterSelect, type ListPage, list, type Query, without } from '../list.ts'
import { instant } from '../time.ts'
import { faultsOf, faultsTable } from './faults.ts'
import { isOpen, type Job, type JobItem, jobChip, outcomeChip, progressText, settledOf } from './job-chips.ts'

/** True if an uploading job can be started now; otherwise the reason why not. */
export type Startable = true | string

export interface JobPage extends ListPage {
  readonly job: Job
  readonly items: readonly JobItem[]
  readonly now: Date
  /** Whether it can be started; undefined unless the job is waiting for its file. */
  readonly startable: Startable | undefined
}

const text = words.jobs
const OUTCOMES = ['open', 'done', 'unchanged', 'refused'] as const
/** How often the page reloads, in seconds. */
const REFRESH = 4

/** The subjects that are a file or the audit log instead of a record. */
const SINGLE: readonly string[] = Object.keys(text.single)

export function jobPage(page: JobPage): ConsoleContent {
  const { job, items, now, startable, query } = page
  const address = addressOfJob(job)
  const [only] = items
  const single = job.total === 1 && only !== undefined && SINGLE.includes(only.subject) ? only : undefined
  const isFollowed = follows(page)
  return {
    title: titleOf(job),
    section: 'jobs',
    trail: TRAIL,
    beside: html`${jobChip(job)}${mayCancel(job) && html`<a class="button small danger push" href="${address}/cancel">${text.cancel}</a>`}`,
    ...(isFollowed && { refresh: REFRESH }),
    body: html`${job.dry_run && html`<p class="notice warn">${text.triedWhat}</p>`}
<section class="card"><h2>${text.progress}</h2>${progressOf(job, now)}${refreshing(job, isFollowed, query)}${waitsForFile(job, startable)}</section>
${single && single.outcome !== null && jobResult(job, single)}
<section class="card">${factsOf(job)}</section>
${single === undefined && itemsOf(page)}
<p class="quiet">${text.exports} ${exportLink(page, 'csv', text.csv)} · ${exportLink(page, 'ndjson', text.lines)}</p>`,
  }
}

const TRAIL = [['/console/jobs', text.title]] as const
const titleOf = ({ kind }: Pick<Job, 'kind'>): string => visibleText(text.kindOf(kind), 64)

export const addressOfJob = ({ id }: Pick<Job, 'id'>): string => `/console/jobs/${encodeURIComponent(id)}`

/** A running import is a single step that finishes by itself, so it cannot be stopped. */
const mayCancel = (job: Job): boolean =>
  isOpen(job) && !(job.state === 'running' && (job.parts !== null || job.kind === 'audit.verify'))

/** The page does not reload while the user reads later records, or has paused updates. */
const follows = ({ job, query }: JobPage): boolean =>
  (job.state === 'queued' || job.state === 'running') &&
  query.get('cursor') === undefined &&
  query.get('still') !== 'true'

const progressOf = (job: Job, now: Date): Html => html`<p>${bar(job)}</p><p>${progressText(job, now)}</p>`

/** Does not show a value while the job is a single step. */
function bar(job: Job): Html {
  if (job.state === 'running' && job.total === 1) {
    return html`<progress aria-label="${text.progress}"></progress>`
  }
  return html`<progress aria-label="${text.progress}" value="${settledOf(job)}" max="${Math.max(1, job.total)}"></progress>`
}

function refreshing(job: Job, isFollowed: boolean, query: Query): Html | undefined {
  if (job.state !== 'queued' && job.state !== 'running') return undefined
  const rest = without(query, 'still', 'cursor')
  const path = addressOfJob(job)
  return isFollowed
    ? html`<p class="quiet" role="status">${job.state === 'queued' ? text.waiting : text.running} <a href="${addressOf(path, [...rest, ['still', 'true']])}">${text.holdStill}</a></p>`
    : html`<p class="quiet"><a href="${addressOf(path, rest)}">${text.follow}</a></p>`
}

const waitsForFile = (job: Job, startable: Startable | undefined): Html | undefined =>
  startable === undefined
    ? undefined
    : html`<p>${text.uploading(job.parts ?? 1)} ${startable === true ? text.whole : visibleText(startable, 300)}</p>
${startable === true && html`<p><a class="button primary" href="${addressOfJob(job)}/start">${text.start}…</a></p>`}`

function factsOf(job: Job): Html {
  const { facts } = text
  const orNotYet = (at: string | null): HtmlValue =>
    at === null ? html`<span class="quiet">${text.notYet}</span>` : instant(at)
  const rows: readonly (readonly [string, HtmlValue])[] = [
    [facts.kind, html`<code>${visibleText(job.kind, 64)}</code>`],
    [facts.by, visibleText(job.by, 64)],
    [facts.made, instant(job.created_at)],
    [facts.started, orNotYet(job.started_at)],
    [facts.ended, orNotYet(job.ended_at)],
    ...(job.parts === null ? [] : [[facts.parts, words.number(job.parts)] as const]),
    ...(job.note === null ? [] : [[facts.note, visibleText(job.note, 500)] as const]),
    [facts.id, html`<code>${job.id}</code>`],
  ]
  return html`<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

const itemsOf = ({ job, items, next, query }: JobPage): Html => html`<h2>${text.items}</h2>
${list<JobItem>({
  ...{ path: addressOfJob(job), rows: items, next, label: text.itemsLabel },
  // The parameter that pauses updates does not filter the records.
  query: { ...query, entries: without(query, 'still') },
  filters: filterSelect(query, {
    name: 'outcome',
    label: text.outcome,
    choices: [
      { value: '', label: text.outcomes.all },
      ...OUTCOMES.map((value) => ({ value, label: text.outcomes[value] })),
    ],
  }),
  empty: html`<p>${text.itemsEmpty}</p>`,
  columns: [
    { label: text.itemColumns.subject, cell: ({ subject }) => subjectOf(job, subject) },
    { label: text.itemColumns.outcome, cell: ({ outcome }) => outcomeChip(outcome) },
    {
      label: text.itemColumns.why,
      cell: ({ code, message }) =>
        code !== null && html`${visibleText(message ?? '', 300)} <span class="quiet mono">${code}</span>`,
    },
  ],
})}`

/** Links to the record's page, if it has one. */
function subjectOf({ kind }: Job, subject: string): Html {
  const shown = html`<span class="mono">${visibleText(subject, 80)}</span>`
  return kind.startsWith('devices.') && /^[0-9a-f-]{36}$/.test(subject)
    ? html`<a href="/console/devices/${encodeURIComponent(subject)}">${shown}</a>`
    : shown
}

const exportLink = ({ job, query }: JobPage, format: string, label: string): Html =>
  html`<a href="${addressOf(`${addressOfJob(job)}/items/export`, [...without(query, 'cursor', 'still', 'limit'), ['format', format]])}">${label}</a>`

export interface JobFormPage {
  readonly form: FormState
  readonly job: Job
}

export const cancelJobPage = ({ form, job }: JobFormPage): ConsoleContent => ({
  title: text.cancelTitle,
  section: 'jobs',
  isNarrow: true,
  trail: [...TRAIL, [addressOfJob(job), titleOf(job)]],
  beside: jobChip(job),
  body: isOpen(job)
    ? postForm(
        form,
        { action: `${addressOfJob(job)}/cancel`, class: 'card' },
        html`<p>${job.parts === null ? text.cancelWhat(settledOf(job), job.total) : text.cancelFile}</p>
<p>${text.cancelAgain}</p>
${actions(submit({ label: text.cancelDo, isDanger: true }), html`<a href="${addressOfJob(job)}">${text.cancelBack}</a>`)}`,
      )
    : html`<div class="card"><p>${text.isOver}</p><p><a href="${addressOfJob(job)}">${titleOf(job)}</a></p></div>`,
})

export const startJobPage = ({
  form,
  job,
  startable,
}: JobFormPage & { readonly startable: Startable | undefined }): ConsoleContent => ({
  title: text.startTitle,
  section: 'jobs',
  isNarrow: true,
  trail: [...TRAIL, [addressOfJob(job), titleOf(job)]],
  beside: jobChip(job),
  body:
    startable === true
      ? postForm(
          form,
          { action: `${addressOfJob(job)}/start`, class: 'card' },
          html`<p>${text.whole}</p>
${job.dry_run && html`<p>${text.triedWhat}</p>`}
${actions(submit({ label: text.start }), html`<a href="${addressOfJob(job)}">${words.form.cancel}</a>`)}`,
        )
      : html`<div class="card"><p>${startable === undefined ? text.isStarted : visibleText(startable, 300)}</p>
<p><a href="${addressOfJob(job)}">${titleOf(job)}</a></p></div>`,
})

function jobResult(job: Job, item: JobItem): Html {
  const name = text.single[item.subject] ?? visibleText(item.subject, 64)
  const told =
    job.kind === 'audit.verify'
      ? verification(item)
      : item.outcome === 'refused'
        ? refusal(item)
        : html`<p class="notice good">${job.dry_run ? text.fileTried : text.fileDone}</p>${counts(item)}`
  return html`<section class="card"><h2>${name}</h2>${told}</section>`
}

const counts = ({ result }: JobItem): Html | undefined =>
  result === null
    ? undefined
    : html`<dl>${Object.entries(result).map(
        ([name, count]) =>
          html`<dt>${visibleText(text.resultOf(name), 40)}</dt><dd>${words.number(count)}</dd>`,
      )}</dl>`

function verification(item: JobItem): Html {
  if (item.outcome === 'refused')
    return html`<p class="notice bad">${visibleText(item.message ?? '', 500)}</p>`
  const [end = '', ...why] = (item.message ?? '').split(' ')
  const brokenAt = item.result?.['broken_at']
  const verdict =
    brokenAt === undefined
      ? html`<p class="notice good" role="status">${text.verified}</p>`
      : html`<p class="notice bad" role="alert"><strong>${text.broken(brokenAt)}</strong> ${visibleText(why.join(' '), 500)}</p>`
  return html`${verdict}${counts(item)}
<h3>${text.end}</h3><pre id="end">${visibleText(end, 100)}</pre>
<p><button type="button" class="small" hidden data-copy="end" data-copied="${words.form.copied}">${text.copyEnd}</button></p>
<p class="quiet">${text.endWhat} <a href="${addressOf('/console/audit/verify', [['expect', end]])}">${text.nextVerification}</a></p>`
}

function refusal(item: JobItem): Html {
  const faults = faultsOf(item)
  return html`<p class="notice bad" role="alert">${text.fileRefused(faults.length)}</p>
${
  faults.length === 0
    ? html`<p>${visibleText(item.message ?? '', 2000)}</p>`
    : faultsTable(text.faults, faults)
}`
}
