/** The rule page: its claims, its risks, and the job that uses it. */
import type { RemovedPublisherSchema, TestedPublisherSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { stateChip } from '../chip.ts'
import { actions, areaField, type FormState, postForm, submit, typedField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { shownText } from '../shown-once.ts'
import { table } from '../table.ts'
import { instant } from '../time.ts'
import { matchLines, type ShownPublisher } from './claims.ts'
import { codes, lastUse, rulePath, stateOf } from './list-page.ts'
import { pipelineOf } from './pipelines.ts'

const text = words.publishers
const TRAIL = [['/console/publishers', text.title]] as const

export interface PublisherPage {
  readonly publisher: ShownPublisher
  readonly baseUrl: string
  readonly now: Date
}

export const publisherPage = ({ publisher, baseUrl, now }: PublisherPage): ConsoleContent => ({
  title: publisher.name,
  section: 'publishers',
  isMono: true,
  trail: TRAIL,
  beside: html`${stateOf(publisher)}<a class="button small push" href="${rulePath(publisher.name)}/test">${text.test.open}</a> <a class="button small danger" href="${rulePath(publisher.name)}/remove">${text.remove.open}</a>`,
  body: html`${publisher.warnings.map((warning) => html`<p class="notice warn">${visibleText(warning, 800)}</p>`)}
<div class="cols"><section class="card"><h2>${text.says}</h2><dl>
<dt>${text.issuer}</dt><dd>${visibleText(publisher.issuer, 500)}<br><span class="quiet">${text.kind(publisher.kind)}</span></dd>
<dt>${text.columns.matches}</dt><dd>${codes(matchLines(publisher))}</dd>
<dt>${text.lastUse}</dt><dd>${lastUse(publisher, now)}</dd>
<dt>${text.madeAt}</dt><dd>${instant(publisher.created_at)}</dd></dl></section>
<section class="card"><h2>${text.gives}</h2><dl>
<dt>${words.limits.may}</dt><dd>${codes(publisher.permissions)}</dd>
<dt>${words.limits.packages}</dt><dd>${codes(publisher.packages)}</dd>
<dt>${words.limits.channels}</dt><dd>${publisher.channels === null ? words.limits.allChannels : codes(publisher.channels)}</dd>
<dt>${words.limits.stores}</dt><dd>${publisher.stores === null ? words.limits.allStores : codes(publisher.stores)}</dd>
<dt>${text.lives}</dt><dd>${text.minutes(publisher.lifetime_seconds)}</dd></dl></section></div>
<section class="card"><h2>${text.pipeline(text.kind(publisher.kind))}</h2><p>${text.pipelineWhat}</p>
${shownText({ id: 'pipeline', label: text.pipelineLabel, value: pipelineOf(publisher.kind, { url: baseUrl, rule: publisher.name }) })}</section>`,
})

export interface RemovePublisherPage {
  readonly form: FormState
  /** The effect that the removal would have. */
  readonly would: Static<typeof RemovedPublisherSchema>
}

export const removePublisherPage = ({
  form,
  would: { name, revoked },
}: RemovePublisherPage): ConsoleContent => ({
  title: text.remove.title(name),
  section: 'publishers',
  isNarrow: true,
  trail: [...TRAIL, [rulePath(name), name]],
  body: postForm(
    form,
    { action: `${rulePath(name)}/remove`, class: 'card' },
    html`<p>${text.remove.what(revoked)}</p>
${typedField(form, name)}
${actions(
  submit({ label: text.remove.does, isDanger: true }),
  html`<a href="${rulePath(name)}">${words.form.cancel}</a>`,
)}`,
  ),
})

type Tested = Static<typeof TestedPublisherSchema>

export interface TestPublisherPage {
  readonly form: FormState
  readonly name: string
  readonly tested: Tested | undefined
}

const testing = words.publishers.test

export const testPublisherPage = ({ form, name, tested }: TestPublisherPage): ConsoleContent => ({
  title: testing.title(name),
  section: 'publishers',
  trail: [
    ['/console/publishers', words.publishers.title],
    [rulePath(name), name],
  ],
  body: html`${tested && outcome(tested)}${postForm(
    form,
    { action: `${rulePath(name)}/test`, class: 'card' },
    html`${areaField(form, { name: 'claims', label: testing.claims, hint: testing.claimsHint, rows: 6, required: true })}
${actions(submit({ label: testing.does }))}`,
  )}`,
})

const outcome = ({ holds, at, lines }: Tested): Html => html`
<p class="notice ${holds ? 'good' : 'bad'}" role="status"><strong>${holds ? testing.holds : testing.holdsNot}</strong> ${testing.asOf} ${instant(at)}.</p>
<div class="card">${table<Tested['lines'][number]>({
  label: testing.lines,
  rows: lines,
  columns: [
    {
      label: testing.columns.holds,
      cell: ({ holds }) => (holds ? stateChip('good', testing.yes) : stateChip('bad', testing.no)),
    },
    { label: testing.columns.claim, cell: ({ claim }) => html`<code>${visibleText(claim, 200)}</code>` },
    { label: testing.columns.expected, cell: ({ expected }) => visibleText(expected, 400) },
    { label: testing.columns.found, cell: ({ found }) => visibleText(found, 400) },
  ],
})}</div>`
