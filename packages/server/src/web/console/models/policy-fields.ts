/** The settings of a policy as fields of a form. */

import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { choiceField, type FormState, textField } from '../form.ts'
import { choiceOf, type Model, SETTINGS, type SettingName, warningsAt } from './model-says.ts'

const text = words.policy

export type Policy = Pick<Model, SettingName | 'serials'>

export interface PolicyFields {
  readonly form: FormState
  /** What is chosen before anything was typed; undefined where the person has to choose. */
  readonly chosen: { readonly [Name in SettingName | 'serials']?: string | undefined }
  /** The policy that is there, where there is one. */
  readonly now?: Policy
  /** What is dangerous about the policy that was typed, or the one that is there. */
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
