/** The list of the keys that are built into boards. They do not belong to a brand. */
import type { HardwareIdentitiesSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import type { ConsoleContent } from '../layout.ts'
import { list, type Query } from '../list.ts'

type Identity = Static<typeof HardwareIdentitiesSchema>['hardware_identities'][number]

const text = words.hardware

export interface HardwarePage {
  readonly identities: readonly Identity[]
  readonly next: string | null
  readonly query: Query
  readonly mayImport: boolean
}

export const hardwarePage = ({ identities, next, query, mayImport }: HardwarePage): ConsoleContent => ({
  title: text.title,
  section: 'brands',
  trail: [['/console/brands', words.brands.title]],
  beside:
    mayImport &&
    html`<a class="button primary push" href="/console/hardware-identities/import">${text.import}</a>`,
  body: html`<p>${text.what}</p>${list<Identity>({
    ...{ path: '/console/hardware-identities', query, rows: identities, next, label: text.label },
    empty: html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
${mayImport && html`<p><a class="button primary" href="/console/hardware-identities/import">${text.emptyStep}</a></p>`}
<p class="quiet">${text.emptyCommand} <code>ratafia hardware-identities import FILE…</code></p>`,
    columns: [
      { label: text.columns.name, cell: ({ hardware_name }) => visibleText(hardware_name, 80) },
      {
        label: text.columns.id,
        cell: ({ hardware_id }) => html`<span class="mono">${visibleText(hardware_id, 64)}</span>`,
      },
      { label: text.columns.maker, cell: ({ manufacturer }) => visibleText(manufacturer, 64) },
      { label: text.columns.issuer, cell: ({ issuer_id }) => visibleText(issuer_id, 64) },
      {
        label: text.columns.key,
        isOptional: true,
        cell: ({ key_sha3_384 }) => html`<code>${key_sha3_384.slice(0, 16)}…</code>`,
      },
    ],
  })}`,
})
