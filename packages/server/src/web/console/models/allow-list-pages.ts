/** The allow-list pages of a model: its entries, and their removal. */
import type { AllowListSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { hidden } from '../../form-fields.ts'
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, type FormState, postForm, submit, textField, typedField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { type ListPage, list } from '../list.ts'
import { modelName, modelPath, modelTrail, type Named } from './model-table.ts'

export type Entry = Static<typeof AllowListSchema>['entries'][number]

const text = words.allowList
const CHOSEN = 'chosen'

const pathOf = (model: Named): string => `${modelPath(model)}/allow-list`
const trailOf = (model: Named): readonly (readonly [string, string])[] => [
  ...modelTrail(model),
  [pathOf(model), text.title],
]

/** An entry as a form field. Neither a serial number nor the id of a key contains a slash. */
const entryText = ({ serial, device_key_id }: Entry): string => `${serial ?? ''}/${device_key_id ?? ''}`

export const entryIn = (value: string): Entry | undefined => {
  const [serial, key, more] = value.split('/')
  if (serial === undefined || key === undefined || more !== undefined || serial + key === '') return undefined
  return { serial: serial === '' ? null : serial, device_key_id: key === '' ? null : key }
}

export interface AllowListPage extends ListPage {
  readonly form: FormState
  readonly model: Named
  /** Whether the policy uses the list. */
  readonly isUsed: boolean
  readonly entries: readonly Entry[]
  readonly mayManage: boolean
}

export function allowListPage(page: AllowListPage): ConsoleContent {
  const { form, model, isUsed, entries, next, query, mayManage } = page
  const path = pathOf(model)
  return {
    title: text.title,
    section: 'brands',
    trail: modelTrail(model),
    beside:
      mayManage &&
      html`<a class="button primary push" href="${path}/import">${text.import}</a>${
        entries.length > 0 &&
        html` <a class="button" href="${path}/remove">${text.removeSome}</a> <a class="button danger" href="${path}/remove-all">${text.removeAll}</a>`
      }`,
    body: html`<p class="mono">${modelName(model)}</p><p>${text.what}</p>
${!isUsed && html`<p class="notice warn">${text.notUsed}</p>`}
${list<Entry>({
  ...{ path, query, rows: entries, next, label: text.label },
  empty: html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
${mayManage && html`<p><a class="button primary" href="${path}/import">${text.emptyStep}</a></p>`}
<p class="quiet">${text.emptyCommand} <code>ratafia allow-list import FILE --model ${modelName(model)}</code></p>`,
  ...(mayManage && {
    choose: {
      ...{ form: CHOSEN, name: 'entry', value: entryText },
      label: ({ serial, device_key_id }: Entry) => visibleText(text.entry(serial, device_key_id), 64),
    },
  }),
  below:
    mayManage &&
    postForm(
      form,
      { action: `${path}/remove`, id: CHOSEN, class: 'actions' },
      submit({ label: text.removeChosen, does: 'look', isDanger: true }),
    ),
  columns: [
    { label: text.columns.serial, cell: ({ serial }) => orAny(serial) },
    { label: text.columns.key, cell: ({ device_key_id }) => orAny(device_key_id) },
  ],
})}`,
  }
}

const orAny = (value: string | null) =>
  value === null
    ? html`<span class="quiet">${text.any}</span>`
    : html`<span class="mono">${visibleText(value, 128)}</span>`

export interface RemoveAllowedPage {
  readonly form: FormState
  readonly model: Named
}

export const removeAllowedPage = ({ form, model }: RemoveAllowedPage): ConsoleContent => ({
  title: text.removeTitle,
  section: 'brands',
  isNarrow: true,
  trail: trailOf(model),
  body: postForm(
    form,
    { action: `${pathOf(model)}/remove`, class: 'card' },
    html`<p>${text.removeWhat}</p>
${textField(form, { name: 'serial', label: text.serial, hint: text.serialHint, maxlength: 128, isMono: true })}
${textField(form, { name: 'device_key_id', label: text.key, hint: text.keyHint, maxlength: 64, size: 64, isMono: true })}
${actions(
  submit({ label: text.look, does: 'look', isPlain: true }),
  html`<a href="${pathOf(model)}">${words.form.cancel}</a>`,
)}`,
  ),
})

export interface CheckRemovalPage extends RemoveAllowedPage {
  /** The entries that the user selected. */
  readonly entries: readonly Entry[]
  /** How many entries of the list they match. */
  readonly removed: number
}

export const checkRemovalPage = ({ form, model, entries, removed }: CheckRemovalPage): ConsoleContent => {
  const first = entries.slice(0, 20)
  return {
    title: text.checkTitle(removed),
    section: 'brands',
    isNarrow: true,
    trail: trailOf(model),
    body: postForm(
      form,
      { action: `${pathOf(model)}/remove`, class: 'card' },
      html`<p>${text.checkWhat}</p>
<ul>${first.map(
        ({ serial, device_key_id }) =>
          html`<li class="mono">${[serial, device_key_id].flatMap((one) => (one === null ? [] : visibleText(one, 128))).join(' · ')}</li>`,
      )}</ul>${entries.length > first.length && html`<p>${text.checkMore(entries.length - first.length)}</p>`}
${entries.map((entry) => hidden({ entry: entryText(entry) }))}${hidden({ expected: String(removed) })}
${typedField(form, String(removed))}${actions(
  submit({ label: text.checkDo, does: 'remove', isDanger: true }),
  html`<a href="${pathOf(model)}">${words.form.cancel}</a>`,
)}`,
    ),
  }
}

export interface RemoveAllPage extends RemoveAllowedPage {
  /** How many entries the list has. */
  readonly removed: number
}

export const removeAllPage = ({ form, model, removed }: RemoveAllPage): ConsoleContent => ({
  title: text.allTitle,
  section: 'brands',
  isNarrow: true,
  trail: trailOf(model),
  body:
    removed === 0
      ? html`<p class="notice good" role="status">${text.empty}</p>`
      : postForm(
          form,
          { action: `${pathOf(model)}/remove-all`, class: 'card' },
          html`<p>${text.allWhat(removed)}</p>${typedField(form, modelName(model))}${actions(
            submit({ label: text.allDo, isDanger: true }),
            html`<a href="${pathOf(model)}">${words.form.cancel}</a>`,
          )}`,
        ),
})
