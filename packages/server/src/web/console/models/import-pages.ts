/** The pages that import allow-lists and hardware identities by a job. */
import type { HardwareIdentitiesSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, areaField, type FormState, fileField, postForm, selectField, submit } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { type ListPage, list } from '../list.ts'
import { modelName, modelPath, modelTrail, type Named } from './model-table.ts'

type Identity = Static<typeof HardwareIdentitiesSchema>['hardware_identities'][number]

const text = words.hardware

export interface HardwarePage extends ListPage {
  readonly identities: readonly Identity[]
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

export interface ImportAllowListPage {
  readonly form: FormState
  readonly model: Named
}

export function importAllowListPage({ form, model }: ImportAllowListPage): ConsoleContent {
  const text = words.allowList
  const path = `${modelPath(model)}/allow-list`
  return {
    title: text.importTitle,
    section: 'brands',
    isNarrow: true,
    trail: [...modelTrail(model), [path, text.title]],
    body: postForm(
      form,
      { action: `${path}/import`, class: 'card', isMultipart: true },
      html`<p class="mono">${modelName(model)}</p><p>${text.importWhat}</p>
${selectField(form, {
  ...{ name: 'format', label: text.format },
  choices: Object.entries(text.formats).map(([value, label]) => ({ value, label })),
})}
${fileField(form, {
  ...{ name: 'file', label: text.file },
  hint: html`${text.fileHint} <code>ratafia allow-list import FILE --model ${modelName(model)}</code>`,
})}
${areaField(form, { name: 'rows', label: text.rows, hint: text.rowsHint, rows: 6 })}
${actions(
  submit({ label: text.importTry, does: 'try', isPlain: true }),
  submit({ label: text.importDo, does: 'import' }),
  html`<a href="${path}">${words.form.cancel}</a>`,
)}`,
    ),
  }
}

export function importHardwarePage(form: FormState): ConsoleContent {
  const text = words.hardware
  const path = '/console/hardware-identities'
  return {
    title: text.importTitle,
    section: 'brands',
    isNarrow: true,
    trail: [
      ['/console/brands', words.brands.title],
      [path, text.title],
    ],
    body: postForm(
      form,
      { action: `${path}/import`, class: 'card', isMultipart: true },
      html`<p>${text.importWhat}</p>
${fileField(form, {
  ...{ name: 'file', label: text.file },
  hint: html`${text.fileHint} <code>ratafia hardware-identities import FILE…</code>`,
})}
${areaField(form, { name: 'rows', label: text.rows, hint: text.rowsHint, rows: 6 })}
${actions(
  submit({ label: text.importTry, does: 'try', isPlain: true }),
  submit({ label: text.importDo, does: 'import' }),
  html`<a href="${path}">${words.form.cancel}</a>`,
)}`,
    ),
  }
}
