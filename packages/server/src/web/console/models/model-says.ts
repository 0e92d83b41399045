/** The content of a model's assertion, and its policy, with each warning next to its setting. */
import type { ModelDetailsSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, type HtmlValue, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { instant } from '../time.ts'

export type Model = Static<typeof ModelDetailsSchema>

/** The settings of a policy that users choose from a list. They type the template of serial numbers. */
export const SETTINGS = [
  'registration',
  'proposed_serial',
  'taken_serial',
  'hardware_identity',
  'clones',
] as const
export type SettingName = (typeof SETTINGS)[number]

const text = words.models

const row = (name: string, value: HtmlValue): Html => html`<dt>${name}</dt><dd>${value}</dd>`
const said = (value: string | null): HtmlValue =>
  value === null ? html`<span class="quiet">${text.notSaid}</span>` : visibleText(value, 200)

export const assertionSays = (model: Model): Html => html`<dl>
${row(text.fields.displayName, said(model.display_name))}
${row(text.fields.revision, words.number(model.revision))}
${row(text.fields.signedAt, instant(model.signed_at))}
${row(text.fields.system, model.classic ? text.classic : text.core)}
${row(text.fields.architecture, said(model.architecture))}
${row(text.fields.base, said(model.base))}
${row(text.fields.grade, said(model.grade))}
${row(text.fields.store, model.store === null ? html`<span class="quiet">${text.noStore}</span>` : visibleText(model.store, 200))}
${row(
  text.fields.serialAuthority,
  model.serial_authority.length === 0
    ? html`<span class="quiet">${text.none}</span>`
    : model.serial_authority.map((account) => html`<span class="chip">${visibleText(account, 64)}</span>`),
)}
${row(text.fields.signer, signerOf(model))}</dl>`

const signerOf = ({ signer }: Model): HtmlValue =>
  signer === null
    ? text.noSigner
    : html`<a href="/console/brands/${encodeURIComponent(signer.authority_id)}">${signer.authority_id}</a> ${text.withKey} <code title="${signer.key_id}">${signer.key_id.slice(0, 12)}…</code>`

/** Shows the settings of the policy, each with its effect. */
export const policySays = (model: Model): Html => html`<dl>
${SETTINGS.map((name) => row(words.policy.settings[name].label, settingSays(model, name)))}
${row(words.policy.serials, html`<code>${visibleText(model.serials, 128)}</code>`)}</dl>`

function settingSays(model: Model, name: SettingName): Html {
  const [value, meaning] = choiceOf(name, model[name])
  return html`<strong>${value}</strong> <span class="quiet">${meaning}</span>${warningsAt(model, name)}`
}

export function choiceOf(name: SettingName, value: string): readonly [name: string, meaning: string] {
  const choices: Readonly<Record<string, readonly [string, string]>> = words.policy.settings[name].choices
  return choices[value] ?? [value, '']
}

/** Shows the warnings about this setting. */
export const warningsAt = (
  { warnings_by_setting: warnings }: Pick<Model, 'warnings_by_setting'>,
  name: string,
): Html[] =>
  warnings
    .filter(({ setting }) => setting === name)
    .map(({ warning }) => html`<div class="notice bad" role="note">${warning}</div>`)
