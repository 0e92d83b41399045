/** The list of the models as which devices can register. */
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import type { DeviceCounts } from '../brands/devices-by-status.ts'
import type { ConsoleContent } from '../layout.ts'
import { filterText, list, type Query } from '../list.ts'
import { type ListedModel, modelColumns } from './model-table.ts'

const text = words.models

export interface ModelsPage {
  readonly models: readonly ListedModel[]
  readonly next: string | null
  readonly query: Query
  readonly counts: Pick<DeviceCounts, 'counts'>
  readonly mayAdd: boolean
}

export const modelsPage = ({ models, next, query, counts, mayAdd }: ModelsPage): ConsoleContent => ({
  title: text.title,
  section: 'brands',
  trail: [['/console/brands', words.brands.title]],
  beside: mayAdd && html`<a class="button primary push" href="/console/models/new">${text.add}</a>`,
  body: list<ListedModel>({
    ...{ path: '/console/models', query, rows: models, next, label: text.label },
    filters: filterText(query, { name: 'brand', label: text.filterBrand }),
    empty: html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
${mayAdd && html`<p><a class="button primary" href="/console/models/new">${text.emptyStep}</a></p>`}
<p class="quiet">${text.emptyCommand} <code>ratafia models add --help</code></p>`,
    columns: modelColumns(counts),
  }),
})
