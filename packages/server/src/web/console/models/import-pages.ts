/** The pages that import allow-lists and hardware identities by a job. */
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, areaField, type FormState, fileField, postForm, selectField, submit } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { modelName, modelPath, modelTrail, type Named } from './model-table.ts'

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
