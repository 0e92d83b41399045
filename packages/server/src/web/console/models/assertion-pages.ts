/** The pages for a new model or a newer assertion: users paste it, see a preview, and then store it. */
import { hidden } from '../../form-fields.ts'
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, areaField, type FormState, postForm, submit } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { assertionSays, type Model, policySays, SETTINGS } from './model-says.ts'
import { modelName, modelPath, modelTrail } from './model-table.ts'
import { policyFields } from './policy-page.ts'

const text = words.models
/** A form can have 64 KiB, in which some characters take three bytes. */
const MOST_CHARACTERS = 30_000
const NEW = '/console/models/new'
const NEW_TRAIL = [
  ['/console/brands', words.brands.title],
  ['/console/models', text.title],
] as const

const assertionField = (form: FormState) =>
  areaField(form, {
    ...{ name: 'assertion', label: text.assertion, hint: text.assertionHint, required: true },
    ...{ rows: 14, maxlength: MOST_CHARACTERS },
  })

export interface NewModelPage {
  readonly form: FormState
  /** The policy of a new model before the user chooses anything. */
  readonly standard: { readonly [Name in (typeof SETTINGS)[number] | 'serials']?: string }
}

export const newModelPage = ({ form, standard }: NewModelPage): ConsoleContent => ({
  title: text.newTitle,
  section: 'brands',
  isNarrow: true,
  trail: NEW_TRAIL,
  body: html`<p>${text.newWhat}</p>${postForm(
    form,
    { action: NEW, class: 'card' },
    html`${assertionField(form)}<h2>${text.policy}</h2>
${policyFields({ form, chosen: standard, warnings: { warnings_by_setting: [] } })}
${actions(submit({ label: text.look }), html`<a href="/console/models">${words.form.cancel}</a>`)}`,
  )}`,
})

/** Hidden fields with what the user typed, for the next form. */
const typed = ({ fields }: FormState, names: readonly string[]) =>
  hidden(Object.fromEntries(names.map((name) => [name, fields.get(name)])))

export const checkModelPage = (form: FormState, model: Model): ConsoleContent => ({
  title: text.checkTitle(modelName(model)),
  section: 'brands',
  trail: NEW_TRAIL,
  body: html`<p>${text.checkWhat}</p>
<div class="cols"><section class="card"><h2>${text.says}</h2>${assertionSays(model)}</section>
<section class="card"><h2>${text.policy}</h2>${policySays(model)}</section></div>
${postForm(
  form,
  { action: NEW },
  html`${typed(form, ['assertion', ...SETTINGS, 'serials'])}${actions(
    submit({ label: text.checkDo, does: 'add' }),
    submit({ label: text.checkBack, does: 'change', isPlain: true }),
  )}`,
)}`,
})

export interface NewerPage {
  readonly form: FormState
  readonly model: Model
}

export const newerPage = ({ form, model }: NewerPage): ConsoleContent => ({
  title: text.newerTitle,
  section: 'brands',
  isNarrow: true,
  trail: modelTrail(model),
  body: html`<p>${text.newerWhat(model.revision)}</p>${postForm(
    form,
    { action: `${modelPath(model)}/assertion`, class: 'card' },
    html`${assertionField(form)}${actions(
      submit({ label: text.look }),
      html`<a href="${modelPath(model)}">${words.form.cancel}</a>`,
    )}`,
  )}`,
})

export interface CheckNewerPage extends NewerPage {
  /** The model with the newer assertion. */
  readonly wouldBe: Model
  /** The version of the current model. */
  readonly etag: string
}

export const checkNewerPage = ({ form, model, wouldBe, etag }: CheckNewerPage): ConsoleContent => ({
  title: text.newerTitle,
  section: 'brands',
  isNarrow: true,
  trail: modelTrail(model),
  body: html`<p>${wouldBe.revision === model.revision ? text.newerSame : text.newerCheck(model.revision, wouldBe.revision)}</p>
<section class="card"><h2>${text.says}</h2>${assertionSays(wouldBe)}</section>
${postForm(
  form,
  { action: `${modelPath(model)}/assertion` },
  html`${hidden({ seen: etag })}${typed(form, ['assertion'])}${actions(
    wouldBe.revision !== model.revision && submit({ label: text.newerDo, does: 'replace' }),
    submit({ label: text.checkBack, does: 'change', isPlain: true }),
  )}`,
)}`,
})
