/**
 * Forms of the console: they keep what users typed, and show each problem at its field (contract/administration.md,
 * C9).
 */
import { hidden } from '../form-fields.ts'
import { type Html, type HtmlValue, html } from '../html.ts'
import { words } from '../words/en.ts'

/** The state that a form needs besides its own fields; each request has one. */
export interface FormState {
  /** Proves that the form belongs to this session. */
  readonly csrf: string
  /** A form that is sent twice with the same text takes effect once. */
  readonly once: string
  /** The fields that the user typed, or that are in the URL. */
  readonly fields: {
    get(name: string): string | undefined
    all(name: string): readonly string[]
  }
  /** Whether the form was sent and is shown again. */
  readonly isAgain: boolean
  readonly problems: readonly Problem[]
}

/** A page with a form that changes a record. */
export interface ChangeForm {
  readonly form: FormState
  /** The version (`ETag`) of the record on the page, so that the user changes exactly this one. */
  readonly etag: string
}

export interface Problem {
  /** The name of a field; undefined if the problem concerns the whole form. */
  readonly field: string | undefined
  readonly message: string
}

interface PostForm {
  /** The path from the root of the service: `/console/tokens/new`. */
  readonly action: string
  readonly class?: string
  readonly id?: string
  /** Whether the form can have files. */
  readonly isMultipart?: boolean
}

export const postForm = (state: FormState, form: PostForm, body: Html): Html => html`
<form method="post" action="${form.action}"${attribute('class', form.class)}${attribute('id', form.id)}${
  form.isMultipart && html` enctype="multipart/form-data"`
}>${hidden({ csrf: state.csrf, once: state.once })}
${body}
</form>`

interface Field {
  readonly name: string
  readonly label: HtmlValue
  /** The explanation under the field. */
  readonly hint?: HtmlValue
  /** The value before the user types. */
  readonly value?: string | undefined
  readonly required?: boolean
}

export interface TextField extends Field {
  readonly type?: 'text' | 'date' | 'number' | 'search'
  readonly size?: number
  readonly maxlength?: number
  readonly autocomplete?: string
  /** Shows a phone's keyboard for addresses. Not `type="email"`: browsers would refuse addresses that exist. */
  readonly isEmail?: boolean
  readonly placeholder?: string
  readonly isMono?: boolean
}

export function textField(state: FormState, field: TextField): Html {
  const { name, type = 'text', size = 40, maxlength, autocomplete = 'off', placeholder } = field
  const { isEmail, isMono } = field
  return labelled(
    state,
    field,
    html`<input type="${type}" id="${idOf(name)}" name="${name}" value="${typedIn(state, field)}"${
      type === 'text' && html` size="${size}"`
    } autocomplete="${autocomplete}"${attribute('maxlength', maxlength)}${attribute('placeholder', placeholder)}${
      isEmail && html` inputmode="email" autocapitalize="none" spellcheck="false"`
    }${isMono && html` class="mono" autocapitalize="none" spellcheck="false"`}${described(state, field)}>`,
  )
}

export interface AreaField extends Field {
  readonly rows?: number
  readonly maxlength?: number
}

/** A field for longer text, such as an assertion. */
export const areaField = (state: FormState, field: AreaField): Html =>
  labelled(
    state,
    field,
    html`<textarea class="mono" id="${idOf(field.name)}" name="${field.name}" rows="${field.rows ?? 8}" spellcheck="false"${attribute('maxlength', field.maxlength)}${described(
      state,
      field,
    )}>
${typedIn(state, field)}</textarea>`,
  )

export interface Choice {
  readonly value: string
  readonly label: HtmlValue
}

/** A field for a secret, which is not shown again. */
export const secretArea = (state: FormState, field: AreaField): Html =>
  labelled(
    state,
    field,
    html`<textarea class="mono" id="${idOf(field.name)}" name="${field.name}" rows="${field.rows ?? 8}" autocomplete="off" spellcheck="false"${attribute('maxlength', field.maxlength)}${described(
      state,
      field,
    )}></textarea>`,
  )

/** A field for a file, in a form with `isMultipart`. Browsers lose the choice when the form is shown again. */
export const fileField = (
  state: FormState,
  field: Omit<Field, 'value'> & { readonly accept?: string },
): Html =>
  labelled(
    state,
    field,
    html`<input type="file" id="${idOf(field.name)}" name="${field.name}"${attribute('accept', field.accept)}${described(state, field)}>`,
  )

export const selectField = (state: FormState, field: Field & { readonly choices: readonly Choice[] }): Html =>
  labelled(
    state,
    field,
    html`<select id="${idOf(field.name)}" name="${field.name}"${described(state, field)}>${options(
      field.choices,
      typedIn(state, field),
    )}</select>`,
  )

/** Returns `<option>` elements, with one of them selected. */
export const options = (choices: readonly Choice[], chosen: string | undefined): Html[] =>
  choices.map(
    ({ value, label }) =>
      html`<option value="${value}"${value === (chosen ?? '') && html` selected`}>${label}</option>`,
  )

interface ChoiceField extends Omit<Field, 'value' | 'required'> {
  /** Needed if a page has two fields with the same name. */
  readonly id?: string
  readonly choices: readonly Choice[]
  /** The choices that are selected before the user changes anything. */
  readonly chosen?: readonly string[]
}

/** A field for one of several choices, or with `isMany` for any of them. */
export function choiceField(state: FormState, field: ChoiceField & { readonly isMany?: boolean }): Html {
  const { name, id = name, label, hint, choices, chosen = [], isMany = false } = field
  const given = state.isAgain || state.fields.all(name).length > 0 ? state.fields.all(name) : chosen
  return html`<fieldset class="field plain" id="${idOf(id)}" tabindex="-1"><legend>${label}</legend>
${choices.map(
  (choice) =>
    html`<div><label><input type="${isMany ? 'checkbox' : 'radio'}" name="${name}" value="${choice.value}"${
      given.includes(choice.value) && html` checked`
    }> ${choice.label}</label></div>`,
)}${id === name && problemAt(state, name)}${hint && html`<div class="quiet">${hint}</div>`}</fieldset>`
}

/** A single checkbox, with the value `on`. */
export const checkField = (
  state: FormState,
  {
    name,
    label,
    hint,
    isChecked = false,
  }: Omit<Field, 'value' | 'required'> & { readonly isChecked?: boolean },
): Html => {
  const isOn =
    state.isAgain || state.fields.get(name) !== undefined ? state.fields.get(name) === 'on' : isChecked
  return html`<div class="field plain"><label><input type="checkbox" id="${idOf(name)}" name="${name}" value="on"${
    isOn && html` checked`
  }> ${label}</label>${problemAt(state, name)}${hint && html`<div class="quiet">${hint}</div>`}</div>`
}

/** Asks for a text that proves that the user has read what will happen (C7). */
export const typedField = (state: FormState, expected: string): Html =>
  textField(state, {
    name: 'typed',
    label: words.form.typeToGoOn(html`<code>${expected}</code>`),
    required: true,
    size: 24,
    isMono: true,
  })

export const actions = (...buttons: readonly HtmlValue[]): Html => html`<div class="actions">${buttons}</div>`

interface Button {
  readonly label: string
  /** The value of the field `do`, which shows which button was pressed. */
  readonly does?: string
  readonly isDanger?: boolean
  readonly isPlain?: boolean
}

export const submit = ({ label, does, isDanger, isPlain }: Button): Html =>
  html`<button type="submit"${does !== undefined && html` name="do" value="${does}"`} class="${
    isDanger ? 'danger' : isPlain ? '' : 'primary'
  }">${label}</button>`

/** The list of problems at the top of the page, with links to the fields. */
export const problemSummary = (problems: readonly Problem[]): Html | undefined =>
  problems.length === 0
    ? undefined
    : html`<div class="notice bad" role="alert" tabindex="-1" id="problems"><strong>${words.form.refused}</strong>
<ul>${problems.map(
        ({ field, message }) =>
          html`<li>${field === undefined ? message : html`<a href="#${idOf(field)}">${message}</a>`}</li>`,
      )}</ul></div>`

/** The element id of a field. */
const idOf = (name: string): string => `f-${name}`

const typedIn = (state: FormState, { name, value }: Field): string =>
  state.fields.get(name) ?? (state.isAgain ? '' : (value ?? ''))

const labelled = (state: FormState, { name, label, hint }: Field, input: Html): Html => html`
<div class="field"><label for="${idOf(name)}">${label}</label>
${input}${problemAt(state, name)}${hint && html`<div class="quiet" id="${idOf(name)}-hint">${hint}</div>`}</div>`

const problemsAt = ({ problems }: FormState, name: string) => problems.filter(({ field }) => field === name)

const problemAt = (state: FormState, name: string): Html[] =>
  problemsAt(state, name).map(
    ({ message }) => html`<p class="problem" id="${idOf(name)}-problem">${message}</p>`,
  )

/** Lets screen readers read the problem and the hint with the field. The first field with a problem gets the focus. */
function described(state: FormState, { name, hint, required }: Field): Html {
  const isWrong = problemsAt(state, name).length > 0
  const ids = [isWrong && `${idOf(name)}-problem`, hint && `${idOf(name)}-hint`].filter(Boolean).join(' ')
  const isFirst = isWrong && state.problems.find(({ field }) => field !== undefined)?.field === name
  return html`${required && html` required`}${ids !== '' && html` aria-describedby="${ids}"`}${
    isWrong && html` aria-invalid="true"`
  }${isFirst && html` autofocus`}`
}

const attribute = (name: string, value: string | number | undefined): Html | undefined =>
  value === undefined ? undefined : ATTRIBUTES[name]?.(value)

/** The attributes' names are part of the markup, because a value in markup must never be an attribute's name. */
const ATTRIBUTES: Readonly<Record<string, (value: string | number) => Html>> = {
  accept: (value) => html` accept="${value}"`,
  class: (value) => html` class="${value}"`,
  id: (value) => html` id="${value}"`,
  maxlength: (value) => html` maxlength="${value}"`,
  placeholder: (value) => html` placeholder="${value}"`,
}
