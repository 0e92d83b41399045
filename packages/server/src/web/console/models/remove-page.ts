/** The page that removes a model, or shows what still needs it. */
import type { RemovedModelSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { hidden } from '../../form-fields.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, type FormState, postForm, submit, typedField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { addressOf } from '../list.ts'
import type { Model } from './model-says.ts'
import { modelName, modelPath, modelTrail } from './model-table.ts'

const text = words.models

/** The reason why it cannot be removed. */
interface StillNeeded {
  readonly message: string
  /** The kind of record that needs it. */
  readonly by: string
}

export interface RemoveModelPage {
  readonly form: FormState
  readonly model: Model
  readonly etag: string
  readonly outcome: Static<typeof RemovedModelSchema> | StillNeeded
}

export const removeModelPage = (page: RemoveModelPage): ConsoleContent => ({
  title: text.removeTitle(modelName(page.model)),
  section: 'brands',
  isNarrow: true,
  trail: modelTrail(page.model),
  body: html`<div class="card">${'message' in page.outcome ? needed(page.model, page.outcome) : removal(page, page.outcome)}</div>`,
})

function needed(model: Model, { message, by }: StillNeeded): Html {
  const path = modelPath(model)
  return html`<p class="notice warn" role="status"><strong>${text.cannotRemove}.</strong> ${message}</p>
<div class="actions">${
    by === 'allow-list'
      ? html`<a class="button" href="${path}/allow-list/remove-all">${text.seeAllowList}</a>`
      : html`<a class="button" href="${addressOf('/console/devices', [['model', modelName(model)]])}">${text.seeDevices}</a><a href="${path}/policy">${text.seePolicy}</a>`
  }<a href="${path}">${words.form.cancel}</a></div>`
}

const removal = (
  { form, model, etag }: RemoveModelPage,
  { api_keys, remodels }: Static<typeof RemovedModelSchema>,
): Html => html`<p>${text.removeWhat} ${text.removeWith(api_keys, remodels)}</p>
${postForm(
  form,
  { action: `${modelPath(model)}/remove` },
  html`${hidden({ seen: etag })}${typedField(form, modelName(model))}${actions(
    submit({ label: text.removeDo, isDanger: true }),
    html`<a href="${modelPath(model)}">${words.form.cancel}</a>`,
  )}`,
)}`
