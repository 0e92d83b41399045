/** The page that changes a model's policy. Users accept each new risk before it is saved. */
import { hidden } from '../../form-fields.ts'
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, choiceField, type FormState, postForm, submit } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import type { Model } from './model-says.ts'
import { modelName, modelPath, modelTrail } from './model-table.ts'
import { policyFields } from './policy-fields.ts'

const text = words.policy

export interface PolicyPage {
  readonly form: FormState
  readonly model: Model
  /** The version of the model on the page. */
  readonly etag: string
  /** The model with the policy that the user typed; undefined if that was refused, or nothing was typed. */
  readonly wouldBe: Model | undefined
}

/** Returns the warnings that a change adds. */
export const addedWarnings = (before: Model, after: Model): Model['warnings_by_setting'] =>
  after.warnings_by_setting.filter(({ warning }) => !before.warnings.includes(warning))

export function policyPage({ form, model, etag, wouldBe }: PolicyPage): ConsoleContent {
  const added = wouldBe ? addedWarnings(model, wouldBe) : []
  return {
    title: text.title,
    section: 'brands',
    isNarrow: true,
    trail: modelTrail(model),
    body: html`<p class="mono">${modelName(model)}</p><p>${text.what}</p>${postForm(
      form,
      { action: `${modelPath(model)}/policy`, class: 'card' },
      html`${hidden({ seen: etag })}${policyFields({ form, chosen: model, now: model, warnings: wouldBe ?? model })}
${
  added.length > 0 &&
  choiceField(form, {
    ...{ name: 'accepted', label: text.accept, hint: text.acceptHint, isMany: true },
    choices: added.map(({ setting, warning }) => ({ value: setting, label: warning })),
  })
}
${actions(submit({ label: text.save }), html`<a href="${modelPath(model)}">${words.form.cancel}</a>`)}`,
    )}`,
  }
}
