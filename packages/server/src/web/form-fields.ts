/** The parts that forms on several pages share. */
import { type Html, html } from './html.ts'

export const hidden = (fields: Readonly<Record<string, string | undefined>>): Html[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  )

/** A hidden field that shows a password manager whose password the form asks for. */
export const ownerOf = (username: string): Html =>
  html`<input type="text" hidden name="username" value="${username}" autocomplete="username" readonly>`

/** The reason why a form was refused. Screen readers read it at once, and again with the first field. */
export const problem = (message: string | undefined): Html | undefined =>
  message === undefined ? undefined : html`<p class="notice bad" role="alert" id="problem">${message}</p>`

interface Field {
  readonly name: string
  readonly label: string
  readonly autocomplete: 'current-password' | 'new-password' | 'one-time-code' | 'off'
  /** Whether it is the first field of the page. */
  readonly first?: boolean
  /** Whether {@link problem} is about this field. */
  readonly failed?: boolean
}

export const passwordField = (field: Field): Html => input(field, html`type="password" maxlength="1024"`)

/**
 * A field for a code of a second factor, or for a recovery code. Recovery codes have letters, so phones show all keys.
 */
export const codeField = (field: Omit<Field, 'autocomplete'>): Html =>
  input({ ...field, autocomplete: 'one-time-code' }, CODE)

const CODE = html`type="text" maxlength="64" autocapitalize="none" spellcheck="false"`

const input = ({ name, label, autocomplete, first, failed }: Field, kind: Html): Html => html`
<label for="${name}">${label}</label>
<input ${kind} id="${name}" name="${name}" required autocomplete="${autocomplete}"${first && AUTOFOCUS}${failed && DESCRIBED}>`

const AUTOFOCUS = html` autofocus`
const DESCRIBED = html` aria-describedby="problem"`
