/** The audit log pages: its entries, one entry, and the state of its chain. */
import type { AuditEntrySchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { stateChip } from '../chip.ts'
import { actions, type FormState, postForm, submit, textField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { addressOf, filterText, type ListPage, list, type Query, without } from '../list.ts'
import { instant, relative } from '../time.ts'

type Details = Readonly<Record<string, unknown>>

/** Shows the details in one line, for a list; the entry page has the part that is cut off. */
const detailsLine = (details: Details, limit: number): string =>
  visibleText(
    Object.entries(details)
      .map(([name, value]) => `${name}: ${textOf(value)}`)
      .join(' · '),
    limit,
  )

/** The maximum length of a value that is shown. An export has the whole value. */
const MOST = 4_000

function detailsList(details: Details): Html {
  const entries = Object.entries(details)
  if (entries.length === 0) return html`<p class="quiet">${words.audit.noDetails}</p>`
  return html`<dl>${entries.map(
    ([name, value]) => html`<dt>${visibleText(name, 64)}</dt><dd>${visibleText(textOf(value), MOST)}</dd>`,
  )}</dl>`
}

/** Returns a string unchanged, several strings separated by commas, and other values as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ')
  return JSON.stringify(value) ?? ''
}

export type Entry = Static<typeof AuditEntrySchema>

/** The state of the chain, according to the newest entries. */
export interface ChainState {
  readonly linked: { readonly seq: number; readonly at: string } | undefined
  /** How many newer entries wait to be linked, as far as they were searched. */
  readonly waiting: number
  /** The newest verification that was found. */
  readonly verified: Verified | undefined
}

interface Verified {
  /** When the verification finished. */
  readonly at: string
  /** The job's id; undefined if the user may not see it. */
  readonly job: string | undefined
  readonly brokenAt: ChainResult
}

/** The entry where the chain was broken; null if it was intact; undefined if the entry does not contain the result. */
export type ChainResult = number | null | undefined

export interface AuditPage extends ListPage {
  readonly entries: readonly Entry[]
  readonly now: Date
  /** The state of the chain, shown only on the first page. */
  readonly chain: ChainState | undefined
}

const text = words.audit
const PATH = '/console/audit'
const TRAIL = [[PATH, text.title]] as const
/** The maximum length of the details in a list. */
const LINE = 160

export const auditPage = (page: AuditPage): ConsoleContent => {
  const { entries, query, now } = page
  return {
    title: text.title,
    section: 'audit',
    beside: html`<a class="button push" href="${PATH}/verify">${text.verify}</a>`,
    body: html`${page.chain && chainCard(page.chain, now)}
${list<Entry>({
  ...{ path: PATH, query, rows: entries, next: page.next, examined: page.examined, label: text.label },
  filters: filtersOf(query),
  empty: html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
<p><a class="button primary" href="/console/overview">${text.emptyStep}</a></p>
<p class="quiet">${text.emptyCommand} <code>ratafia audit list</code></p>`,
  columns: [
    {
      label: text.columns.at,
      cell: ({ id, at }) => html`<a href="${PATH}/${id}">${instant(at)}</a>`,
    },
    { label: text.columns.actor, cell: ({ actor }) => visibleText(actor, 48) },
    { label: text.columns.action, cell: ({ action }) => visibleText(action, 48) },
    { label: text.columns.subject, cell: ({ subject }) => visibleText(subject, 64) },
    {
      label: text.columns.details,
      isOptional: true,
      cell: ({ details }) => detailsLine(details, LINE),
    },
  ],
})}
<p class="quiet">${text.exports} ${exportLink(query, 'csv', text.csv)} · ${exportLink(query, 'ndjson', text.lines)}. ${text.exportWhat}</p>`,
  }
}

const exportLink = (query: Query, format: string, label: string): Html =>
  html`<a href="${addressOf(`${PATH}/export`, [...without(query, 'cursor', 'limit', 'before'), ['format', format]])}">${label}</a>`

const filtersOf = (
  query: Query,
): Html => html`${filterText(query, { name: 'actor', label: text.filters.actor, size: 14 })}
${filterText(query, { name: 'action', label: text.filters.action, size: 14 })}
${filterText(query, { name: 'subject', label: text.filters.subject, size: 20 })}
${(['since', 'until'] as const).map((name) =>
  filterText(query, {
    name,
    label: text.filters[name],
    type: isDay(query.get(name)) ? 'date' : 'text',
    size: 21,
  }),
)}`

/** An instant in the URL stays a string, because a field for days would lose it. */
const isDay = (value: string | undefined): boolean => value === undefined || /^\d{4}-\d\d-\d\d$/.test(value)

const chainCard = (
  { linked, waiting, verified }: ChainState,
  now: Date,
): Html => html`<section class="card"><h2>${text.chain}</h2>
<p>${
  linked === undefined
    ? text.noneLinked
    : html`${text.linkedTo(linked.seq)} <span class="quiet">${relative(linked.at, now)}</span>`
}${waiting > 0 && html`<br>${text.waiting(waiting, linked === undefined)}`}</p>
<p>${verified === undefined ? text.neverVerified : html`${text.lastVerified}: ${lastVerified(verified, now)}`}</p></section>`

function lastVerified({ at, job, brokenAt }: Verified, now: Date): Html {
  const when = relative(at, now)
  return html`${job === undefined ? when : html`<a href="/console/jobs/${encodeURIComponent(job)}">${when}</a>`} ${
    brokenAt === null && stateChip('good', text.wasWhole)
  }${typeof brokenAt === 'number' && stateChip('bad', text.wasBroken(brokenAt))}`
}

export const entryPage = ({ entry, now }: { readonly entry: Entry; readonly now: Date }): ConsoleContent => {
  const { facts } = text
  return {
    title: entry.seq === null ? text.entry : text.entryNumber(entry.seq),
    section: 'audit',
    trail: TRAIL,
    body: html`<section class="card"><dl>
<dt>${facts.at}</dt><dd>${instant(entry.at)} <span class="quiet">${relative(entry.at, now)}</span></dd>
<dt>${facts.actor}</dt><dd>${visibleText(entry.actor, 600)} · <a href="${addressOf(PATH, [['actor', entry.actor]])}">${text.sameActor}</a></dd>
<dt>${facts.source}</dt><dd>${visibleText(entry.source, 600)}</dd>
<dt>${facts.action}</dt><dd><code>${visibleText(entry.action, 80)}</code></dd>
<dt>${facts.subject}</dt><dd>${visibleText(entry.subject, 600)} · <a href="${addressOf(PATH, [['subject', entry.subject]])}">${text.sameSubject}</a></dd>
<dt>${facts.seq}</dt><dd>${entry.seq === null ? text.unlinked : words.number(entry.seq)}</dd>
<dt>${facts.id}</dt><dd><code>${entry.id}</code></dd>
</dl></section>
<section class="card"><h2>${text.details}</h2>${detailsList(entry.details)}</section>`,
  }
}

export const verifyAuditPage = (form: FormState): ConsoleContent => ({
  title: text.verifyTitle,
  section: 'audit',
  isNarrow: true,
  trail: TRAIL,
  body: postForm(
    form,
    { action: `${PATH}/verify`, class: 'card' },
    html`<p>${text.verifyWhat}</p>
${textField(form, { name: 'expect', label: text.expect, hint: text.expectHint, maxlength: 100, isMono: true })}
${actions(submit({ label: text.verifyDo }), html`<a href="${PATH}">${words.form.cancel}</a>`)}
<p class="quiet">${text.verifyCommand} <code>ratafia audit verify --expect SEQ:HASH</code></p>`,
  ),
})
