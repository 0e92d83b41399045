/** The list of the user's own rules for CI jobs. */
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { chips, stateChip } from '../chip.ts'
import type { ConsoleContent } from '../layout.ts'
import { type ListPage, list } from '../list.ts'
import { relative } from '../time.ts'
import { matchLines, type Publisher } from './claims.ts'

export interface PublishersPage extends ListPage {
  readonly publishers: readonly Publisher[]
  readonly now: Date
}

const text = words.publishers

/** A rule can have any name, even `new`, so all rules are below `rules`. */
export const rulePath = (name: string): string => `/console/publishers/rules/${encodeURIComponent(name)}`

export const publishersPage = ({ publishers, next, query, now }: PublishersPage): ConsoleContent => ({
  title: text.title,
  section: 'publishers',
  beside: html`<a class="button primary push" href="/console/publishers/new">${text.make}</a>`,
  body: html`<p class="quiet">${text.what}</p>${list<Publisher>({
    ...{ path: '/console/publishers', query, rows: publishers, next, label: text.title },
    empty: html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
<p><a class="button primary" href="/console/publishers/new">${text.emptyStep}</a></p>
<p class="quiet">${text.emptyCommand} <code>ratafia publishers add --help</code></p>`,
    columns: [
      {
        label: text.columns.rule,
        cell: ({ name, kind }) =>
          html`<a href="${rulePath(name)}"><strong>${name}</strong></a><br><span class="quiet">${text.kind(kind)}</span>`,
      },
      { label: text.columns.matches, cell: (one) => chips(matchLines(one), 4) },
      {
        label: text.columns.gives,
        cell: ({ permissions, packages }) => html`${chips(permissions, 4)}<br>${chips(packages, 4)}`,
      },
      { label: text.columns.used, cell: (one) => lastUse(one, now) },
      { label: text.columns.state, cell: stateOf },
    ],
  })}`,
})

export const stateOf = ({ disabled_at }: Publisher): Html =>
  disabled_at === null ? stateChip('good', text.states.active) : stateChip('off', text.states.disabled)

export function lastUse({ last_used_at: at, disuse }: Publisher, now: Date): Html {
  if (at === null) return html`<span class="quiet">${text.neverMatched}</span>`
  return html`${relative(at, now)}${disuse === null ? undefined : html` ${stateChip('warn', text.unused)}`}`
}

/** Shows values of a rule, with invisible characters made visible. */
export const codes = (values: readonly string[]): Html[] =>
  values.map((value) => html`<code>${visibleText(value, 400)}</code><br>`)
