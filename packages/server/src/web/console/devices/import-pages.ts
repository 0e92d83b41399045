/**
 * The pages that import devices: users send a file, see a preview, and then import it (contract/administration.md,
 * A17).
 */
import { visibleText } from '../../../text/visible-text.ts'
import { hidden } from '../../form-fields.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import {
  actions,
  areaField,
  checkField,
  type FormState,
  fileField,
  postForm,
  selectField,
  submit,
} from '../form.ts'
import { type Fault, faultsTable } from '../jobs/faults.ts'
import type { ConsoleContent } from '../layout.ts'

const text = words.deviceImport
export const IMPORT_PATH = '/console/devices/import'

/** The columns that each row must have. */
export const NEEDED_COLUMNS = ['brand_id', 'model', 'serial', 'device_key_id'] as const

export const importPage = (form: FormState): ConsoleContent => ({
  title: text.title,
  section: 'devices',
  isNarrow: true,
  trail: [['/console/devices', words.devices.title]],
  body: html`<p>${text.what}</p>
${postForm(
  form,
  { action: IMPORT_PATH, class: 'card', isMultipart: true },
  html`${fileField(form, {
    ...{ name: 'file', label: text.file, hint: text.fileHint },
    accept: '.csv,.json,.ndjson,.jsonl,text/csv,application/json',
  })}
${areaField(form, { name: 'rows', label: text.rows, hint: text.rowsHint, rows: 5 })}
${selectField(form, {
  name: 'format',
  label: text.format,
  choices: (['', 'csv', 'ndjson', 'json'] as const).map((value) => ({ value, label: text.formats[value] })),
})}
${checkField(form, { name: 'unknown_models', label: text.unknownModels })}
${actions(submit({ label: text.look }), html`<a href="/console/devices">${words.form.cancel}</a>`)}`,
)}
<div class="card"><h2>${text.columns}</h2><p>${text.columnsWhat} ${NEEDED_COLUMNS.map(
    (column, index) => html`${index > 0 && ', '}<code>${column}</code>`,
  )}. ${text.columnsMore}</p>
<p class="quiet">${text.larger} <code>ratafia devices import FILE</code></p></div>`,
})

/** The result of checking the file. */
export type Looked =
  | { readonly state: 'looking' }
  | { readonly state: 'fits'; readonly devices: number; readonly added: number }
  | { readonly state: 'refused'; readonly message: string; readonly faults: readonly Fault[] }
  | { readonly state: 'failed'; readonly note: string | null }
  /** The import was started already, or discarded. */
  | { readonly state: 'gone' }

export interface ImportStepPage {
  readonly form: FormState
  /** The id of the job that waits with the file. */
  readonly id: string
  /** The URL of this page. */
  readonly action: string
  readonly looked: Looked
}

export const importStepPage = (page: ImportStepPage): ConsoleContent => ({
  title: text.stepTitle,
  section: 'devices',
  isNarrow: true,
  trail: [
    ['/console/devices', words.devices.title],
    [IMPORT_PATH, text.title],
  ],
  ...(page.looked.state === 'looking' && { refresh: 2 }),
  body: stepBody(page),
})

function stepBody(page: ImportStepPage): Html {
  const { looked, id } = page
  switch (looked.state) {
    case 'looking':
      return html`<div class="card"><p role="status">${text.looking}</p></div>${choice(page)}`
    case 'fits': {
      const left = looked.devices - looked.added
      return html`<div class="card"><p>${text.wouldImport(looked.devices)}</p>
<ul><li>${text.wouldAdd(looked.added)}</li>${left > 0 && html`<li>${text.wouldLeave(left)}</li>`}</ul></div>${choice(page, looked.devices)}`
    }
    case 'refused':
      return html`<div class="card"><h2>${looked.faults.length > 0 ? text.faults(looked.faults.length) : text.notLookedTitle}</h2>
${looked.faults.length > 0 ? faultsTable(text.faults(looked.faults.length), looked.faults) : html`<p>${visibleText(looked.message, 500)}</p>`}
<p>${text.faultsWhat}</p></div>${choice(page)}`
    case 'failed':
      return html`<div class="card"><p class="notice bad" role="alert">${text.notLooked} ${looked.note !== null && visibleText(looked.note, 300)}</p></div>${choice(page)}`
    case 'gone':
      return html`<div class="card"><p class="notice warn" role="status">${text.gone}</p>
<p><a href="/console/jobs/${id}">${text.toJob}</a> · <a href="${IMPORT_PATH}">${text.another}</a></p></div>`
  }
}

/** Offers to import the file if that is possible, and always to discard it, because an account can only have a few. */
const choice = (
  { form, action, looked }: ImportStepPage,
  devices?: number,
): Html => html`<div class="actions">
${
  devices !== undefined &&
  postForm(
    form,
    { action, class: 'inline' },
    html`${hidden({ do: 'import' })}${submit({ label: text.import(devices) })}`,
  )
}
${postForm(
  form,
  { action, class: 'inline' },
  html`${hidden({ do: 'discard' })}${submit({
    label: looked.state === 'refused' ? text.another : text.discard,
    isPlain: true,
  })}`,
)}</div>`
