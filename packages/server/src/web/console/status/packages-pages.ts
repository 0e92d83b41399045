/** The package directory pages. The directory maps names to snap ids. */
import type { PackagesSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import {
  actions,
  checkField,
  type FormState,
  fileField,
  postForm,
  selectField,
  submit,
  textField,
} from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { type ListPage, list } from '../list.ts'

type Package = Static<typeof PackagesSchema>['packages'][number]

export interface PackagesPage extends ListPage {
  readonly packages: readonly Package[]
  readonly mayImport: boolean
}

const text = words.packages
const PATH = '/console/packages'
const IMPORT_FORMATS = ['csv', 'json', 'ndjson'] as const

export const packagesPage = ({ packages, next, query, mayImport }: PackagesPage): ConsoleContent => ({
  title: text.title,
  section: 'status',
  trail: [['/console/status', words.status.title]],
  beside: mayImport && html`<a class="button push" href="${PATH}/import">${text.import}</a>`,
  body: list<Package>({
    ...{ path: PATH, query, rows: packages, next, label: text.label },
    empty: html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
${mayImport && html`<p><a class="button primary" href="${PATH}/import">${text.emptyStep}</a></p>`}
<p class="quiet">${text.emptyCommand} <code>ratafia packages import FILE</code></p>`,
    columns: [
      { label: text.columns.name, cell: ({ name }) => visibleText(name, 128) },
      {
        label: text.columns.id,
        cell: ({ snap_id }) => html`<span class="mono">${visibleText(snap_id, 128)}</span>`,
      },
    ],
  }),
})

export const importPackagesPage = (form: FormState): ConsoleContent => ({
  title: text.importTitle,
  section: 'status',
  isNarrow: true,
  trail: [
    ['/console/status', words.status.title],
    [PATH, text.title],
  ],
  body: postForm(
    form,
    { action: `${PATH}/import`, class: 'card', isMultipart: true },
    html`<p>${text.importWhat}</p>
${fileField(form, { name: 'file', label: text.file, hint: text.fileHint })}
${selectField(form, {
  name: 'format',
  label: text.format,
  value: 'csv',
  choices: IMPORT_FORMATS.map((value) => ({ value, label: text.formats[value] })),
})}
${checkField(form, { name: 'replace_all', label: text.replaceAll, hint: text.replaceAllHint })}
${textField(form, {
  name: 'typed',
  label: text.typeReplace(html`<code>${text.replaceWord}</code>`),
  size: 24,
  isMono: true,
})}
${actions(
  submit({ label: text.try, does: 'try', isPlain: true }),
  submit({ label: text.do, does: 'import' }),
  html`<a href="${PATH}">${words.form.cancel}</a>`,
)}
<p class="quiet">${text.emptyCommand} <code>ratafia packages import FILE</code></p>`,
  ),
})
