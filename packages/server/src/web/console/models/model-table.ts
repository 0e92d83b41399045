/** A table of models, with their registration policy and the number of warnings. */
import type { ModelRecordSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { type DeviceCounts, devicesInWords } from '../brands/devices-by-status.ts'
import { stateChip } from '../chip.ts'
import type { ConsoleContent } from '../layout.ts'
import { filterText, type ListPage, list } from '../list.ts'
import { type Column, table } from '../table.ts'
import { day } from '../time.ts'

export type ListedModel = Static<typeof ModelRecordSchema>
export type Named = Pick<ListedModel, 'brand_id' | 'model'>

const text = words.models

/** `BRAND/MODEL`. */
export const modelName = ({ brand_id, model }: Named): string => `${brand_id}/${model}`

/** The path of the model's page, from the root of the service. */
export const modelPath = ({ brand_id, model }: Named): string =>
  `/console/models/${encodeURIComponent(brand_id)}/${encodeURIComponent(model)}`

/** The pages above those for a model's parts. */
export const modelTrail = (model: Named): readonly (readonly [string, string])[] => [
  ...brandTrail(model),
  [modelPath(model), model.model],
]

export const brandTrail = ({ brand_id }: Named): readonly (readonly [string, string])[] => [
  ['/console/brands', words.brands.title],
  [`/console/brands/${encodeURIComponent(brand_id)}`, brand_id],
]

export interface ModelTable {
  readonly models: readonly ListedModel[]
  readonly counts: Pick<DeviceCounts, 'counts'>
}

export const modelTable = ({ models, counts }: ModelTable): Html =>
  table<ListedModel>({ label: text.label, rows: models, columns: modelColumns(counts) })

const modelColumns = (counts: Pick<DeviceCounts, 'counts'>): readonly Column<ListedModel>[] => [
  {
    label: text.columns.model,
    cell: (model) =>
      html`<a href="${modelPath(model)}"><strong>${visibleText(modelName(model), 200)}</strong></a>`,
  },
  { label: text.columns.registration, cell: ({ registration }) => text.registrations[registration] },
  {
    label: text.columns.warnings,
    cell: ({ warnings }) =>
      warnings.length === 0
        ? html`<span class="quiet">${text.noWarnings}</span>`
        : stateChip('bad', text.warnings(warnings.length)),
  },
  {
    label: text.columns.devices,
    cell: ({ brand_id, model }) =>
      devicesInWords(counts, (one) => one.brand_id === brand_id && one.model === model),
  },
  { label: text.columns.added, isOptional: true, cell: ({ added_at }) => day(added_at) },
]

export interface ModelsPage extends ListPage {
  readonly models: readonly ListedModel[]
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
