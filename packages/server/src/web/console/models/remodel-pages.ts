/** The remodel pages: the models that devices of a model can become. */
import type { RemodelSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { hidden } from '../../form-fields.ts'
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, type ChangeForm, type FormState, postForm, submit, textField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { type ListPage, list } from '../list.ts'
import { instant } from '../time.ts'
import { modelName, modelPath, modelTrail, type Named } from './model-table.ts'

type Remodel = Static<typeof RemodelSchema>

const text = words.remodels

export interface RemodelsPage extends ListPage {
  readonly form: FormState
  readonly model: Named
  readonly remodels: readonly Remodel[]
  readonly mayManage: boolean
}

export function remodelsPage({
  form,
  model,
  remodels,
  next,
  query,
  mayManage,
}: RemodelsPage): ConsoleContent {
  const path = `${modelPath(model)}/remodels`
  return {
    title: text.title,
    section: 'brands',
    trail: modelTrail(model),
    body: html`<p class="mono">${modelName(model)}</p><p>${text.what}</p>
${list<Remodel>({
  ...{ path, query, rows: remodels, next, label: text.label },
  empty: html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
<p class="quiet">${text.emptyCommand} <code>ratafia models allow-remodel ${modelName(model)} BRAND/MODEL</code></p>`,
  columns: [
    {
      label: text.columns.to,
      cell: ({ to }) =>
        html`<a class="mono" href="/console/models/${inPath(to)}">${visibleText(to, 200)}</a>`,
    },
    { label: text.columns.allowed, cell: ({ allowed_at }) => instant(allowed_at) },
    {
      label: text.columns.actions,
      cell: ({ to }) =>
        mayManage && html`<a class="button small" href="${path}/${inPath(to)}/remove">${text.remove}</a>`,
    },
  ],
})}
${
  mayManage &&
  html`<section class="card"><h2>${text.addTitle}</h2>${postForm(
    form,
    { action: path },
    html`${textField(form, { name: 'to', label: text.to, hint: text.toHint, required: true, maxlength: 300, isMono: true })}${actions(
      submit({ label: text.add }),
    )}`,
  )}</section>`
}`,
  }
}

/** Returns BRAND/MODEL as two parts of a path. */
const inPath = (name: string): string => name.split('/').map(encodeURIComponent).join('/')

export interface RemoveRemodelPage extends ChangeForm {
  readonly model: Named
  readonly remodel: Remodel
}

export function removeRemodelPage({ form, model, remodel, etag }: RemoveRemodelPage): ConsoleContent {
  const path = `${modelPath(model)}/remodels`
  return {
    title: text.removeTitle,
    section: 'brands',
    isNarrow: true,
    trail: [...modelTrail(model), [path, text.title]],
    body: postForm(
      form,
      { action: `${path}/${inPath(remodel.to)}/remove`, class: 'card' },
      html`${hidden({ seen: etag })}<p>${text.removeWhat(remodel.from, remodel.to)}</p>${actions(
        submit({ label: text.removeDo, isDanger: true }),
        html`<a href="${path}">${words.form.cancel}</a>`,
      )}`,
    ),
  }
}
