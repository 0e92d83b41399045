/** The page that changes a model's policy. Users accept each new risk before it is saved. */
import { visibleText } from '../../../text/visible-text.ts'
import { hidden } from '../../form-fields.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import {
  actions,
  type ChangeForm,
  choiceField,
  type FormState,
  postForm,
  submit,
  textField,
} from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { choiceOf, type Model, SETTINGS, type SettingName, warningsAt } from './model-says.ts'
import { modelName, modelPath, modelTrail } from './model-table.ts'

const text = words.policy

export type Policy = Pick<Model, SettingName | 'serials'>

export interface PolicyFields {
  readonly form: FormState
  /** The choices before the user changes anything; undefined for a setting that the user has to choose. */
  readonly chosen: { readonly [Name in SettingName | 'serials']?: string | undefined }
  /** The current policy, if there is one. */
  readonly now?: Policy
  /** The risks of the policy that the user typed, or of the current one. */
  readonly warnings: Pick<Model, 'warnings_by_setting'>
}

export const policyFields = ({ form, chosen, now, warnings }: PolicyFields): Html => html`
${SETTINGS.map((name) => {
  const { label, what, choices } = text.settings[name]
  const isOther = now !== undefined && form.isAgain && form.fields.get(name) !== now[name]
  return html`${choiceField(form, {
    ...{ name, label, chosen: chosen[name] === undefined ? [] : [chosen[name]] },
    hint: html`${what}${isOther && html` ${text.now(choiceOf(name, now[name])[0])}`}`,
    choices: Object.entries(choices).map(([value, [called, meaning]]) => ({
      value,
      label: text.choice(called, meaning),
    })),
  })}${warningsAt(warnings, name)}`
})}
${textField(form, {
  ...{ name: 'serials', label: text.serials, value: chosen.serials, maxlength: 128, size: 32, isMono: true },
  hint: html`${text.serialsHint}${
    now !== undefined &&
    form.isAgain &&
    form.fields.get('serials') !== now.serials &&
    html` ${text.now(visibleText(now.serials, 128))}`
  }`,
})}`

export interface PolicyPage extends ChangeForm {
  readonly model: Model
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
