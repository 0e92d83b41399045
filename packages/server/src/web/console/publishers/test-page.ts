/** The page that compares an ID token with a rule, claim by claim. */
import type { TestedPublisherSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { stateChip } from '../chip.ts'
import { actions, areaField, type FormState, postForm, submit } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { table } from '../table.ts'
import { instant } from '../time.ts'
import { rulePath } from './list-page.ts'

type Tested = Static<typeof TestedPublisherSchema>

export interface TestPublisherPage {
  readonly form: FormState
  readonly name: string
  readonly tested: Tested | undefined
}

const text = words.publishers.test

export const testPublisherPage = ({ form, name, tested }: TestPublisherPage): ConsoleContent => ({
  title: text.title(name),
  section: 'publishers',
  trail: [
    ['/console/publishers', words.publishers.title],
    [rulePath(name), name],
  ],
  body: html`${tested && outcome(tested)}${postForm(
    form,
    { action: `${rulePath(name)}/test`, class: 'card' },
    html`${areaField(form, { name: 'claims', label: text.claims, hint: text.claimsHint, rows: 6, required: true })}
${actions(submit({ label: text.does }))}`,
  )}`,
})

const outcome = ({ holds, at, lines }: Tested): Html => html`
<p class="notice ${holds ? 'good' : 'bad'}" role="status"><strong>${holds ? text.holds : text.holdsNot}</strong> ${text.asOf} ${instant(at)}.</p>
<div class="card">${table<Tested['lines'][number]>({
  label: text.lines,
  rows: lines,
  columns: [
    {
      label: text.columns.holds,
      cell: ({ holds }) => (holds ? stateChip('good', text.yes) : stateChip('bad', text.no)),
    },
    { label: text.columns.claim, cell: ({ claim }) => html`<code>${visibleText(claim, 200)}</code>` },
    { label: text.columns.expected, cell: ({ expected }) => visibleText(expected, 400) },
    { label: text.columns.found, cell: ({ found }) => visibleText(found, 400) },
  ],
})}</div>`
