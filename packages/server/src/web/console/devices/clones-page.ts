/** The list of the evidence of clones, for all devices. */
import { CLONE_KIND_NAMES, type CloneEvidenceSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import type { ConsoleContent } from '../layout.ts'
import { filterSelect, filterText, type ListPage, list } from '../list.ts'
import { relativeDay } from '../time.ts'
import { addressOfDevice, deviceChip, modelOf, serialOf } from './device.ts'

type Evidence = Static<typeof CloneEvidenceSchema>

const text = words.clones

export interface ClonesPage extends ListPage {
  readonly evidence: readonly Evidence[]
  readonly now: Date
}

export const clonesPage = ({ evidence, next, examined, query, now }: ClonesPage): ConsoleContent => ({
  title: text.title,
  section: 'clones',
  body: html`<p>${text.what}</p>
<details><summary>${text.meaning}</summary><dl>${CLONE_KIND_NAMES.map(
    (kind) => html`<dt>${text.kinds[kind]}</dt><dd>${text.meanings[kind]}</dd>`,
  )}</dl></details>
${list<Evidence>({
  ...{ path: '/console/clones', query, rows: evidence, next, examined, label: text.label },
  filters: html`${filterSelect(query, {
    name: 'kind',
    label: text.filters.kind,
    choices: [
      { value: '', label: text.filters.anyKind },
      ...CLONE_KIND_NAMES.map((kind) => ({ value: kind, label: text.kinds[kind] })),
    ],
  })}
${filterText(query, { name: 'brand', label: text.filters.brand })}
${filterText(query, { name: 'model', label: text.filters.model })}
${filterText(query, { name: 'since', label: text.filters.since, type: 'date' })}`,
  empty: html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
<p><a class="button" href="/console/devices">${text.emptyStep}</a></p>
<p class="quiet">${text.emptyCommand} <code>ratafia clones list</code></p>`,
  columns: [
    {
      label: text.columns.device,
      cell: ({ device_id, serial }) =>
        html`<a class="mono" href="${addressOfDevice(device_id)}">${serialOf({ serial })}</a>`,
    },
    { label: text.columns.model, cell: modelOf },
    { label: text.columns.status, cell: deviceChip },
    { label: text.columns.kind, cell: ({ kind }) => text.kinds[kind] },
    {
      label: text.columns.other,
      isOptional: true,
      cell: ({ subject }) =>
        html`<span class="mono">${words.devices.shortKey(visibleText(subject, 80))}</span>`,
    },
    { label: text.columns.times, isNumber: true, cell: ({ times }) => words.number(times) },
    { label: text.columns.last, cell: ({ last_seen_at }) => relativeDay(last_seen_at, now) },
  ],
})}`,
})
