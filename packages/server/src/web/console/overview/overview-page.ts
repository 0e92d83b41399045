/** The first page for administrators: pending work and recent activity. */
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import type { ConsoleContent } from '../layout.ts'
import { filterSelect, filterText, type Query } from '../list.ts'
import { type Counters, countedPlots, refusals } from './counted.ts'
import { type Attention, type Finding, toDo } from './to-do.ts'

export interface OverviewPage {
  readonly attention: Attention
  readonly counters: Counters
  /** The findings of the status; empty if the user may not see them. */
  readonly findings: readonly Finding[]
  /** The brands to choose from; undefined if there are too many for a list. */
  readonly brands: readonly string[] | undefined
  readonly query: Query
  /** The time until which all counts are stored. */
  readonly countedTo: Date
  readonly now: Date
}

const text = words.overview

export const overviewPage = (page: OverviewPage): ConsoleContent => ({
  title: text.title,
  section: 'overview',
  beside: filters(page),
  body: html`${page.brands?.length === 0 && page.attention.brand === null && noBrand}
${toDo(page.attention, page.findings, page.now)}
<div class="cols">${countedPlots(page.counters)}${refusals(page.counters)}</div>
<p class="quiet">${text.countedTo(page.countedTo)}</p>`,
})

const noBrand = html`<div class="card"><p><strong>${text.noBrand}</strong> ${text.noBrandWhat}</p>
<p><a class="button primary" href="/console/brands">${text.noBrandStep}</a></p>
<p class="quiet">${text.noBrandCommand} <code>ratafia brands create --demo</code></p></div>`

const filters = ({ query, brands, counters }: OverviewPage) => html`
<form class="filters push" method="get" action="/console/overview">${brandFilter(query, brands)}${filterSelect(
  // The period that is shown is selected, even if it is not in the URL.
  { entries: [], get: (name) => (name === 'period' ? counters.period : undefined) },
  {
    name: 'period',
    label: text.period,
    choices: Object.entries(text.periods).map(([value, label]) => ({ value, label })),
  },
)}<button class="small" type="submit">${words.list.show}</button></form>`

/** Returns the brand filter; undefined for users who see only one brand, because they have nothing to choose. */
function brandFilter(query: Query, brands: readonly string[] | undefined) {
  const filter = { name: 'brand', label: text.brand }
  if (!brands) return filterText(query, filter)
  const asked = query.get('brand')
  const all = [...new Set([...brands, ...(asked === undefined ? [] : [asked])])]
  if (all.length < 2 && asked === undefined) return undefined
  return filterSelect(query, {
    ...filter,
    choices: [{ value: '', label: text.allBrands }, ...all.map((brand) => ({ value: brand, label: brand }))],
  })
}
