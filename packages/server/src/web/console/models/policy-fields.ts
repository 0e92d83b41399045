/** The form fields for the settings of a policy. */

import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { choiceField, type FormState, textField } from '../form.ts'
import { choiceOf, type Model, SETTINGS, type SettingName, warningsAt } from './model-says.ts'

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
