/** Parts that the forms of several pages have. */
import { type Html, html } from './html.ts'

export const hidden = (fields: Readonly<Record<string, string | undefined>>): Html[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  )

/** In a form that asks for a password: by it a password manager knows which of its passwords this is. */
export const ownerOf = (username: string): Html =>
  html`<input type="text" hidden name="username" value="${username}" autocomplete="username" readonly>`

/** What was wrong with the form that was sent; screen readers read it at once, and with its first field. */
export const problem = (message: string | undefined): Html | undefined =>
  message === undefined ? undefined : html`<p class="notice bad" role="alert" id="problem">${message}</p>`

interface Field {
  readonly name: string
  readonly label: string
  readonly autocomplete: 'current-password' | 'new-password' | 'one-time-code' | 'off'
  /** The first field of the page. */
  readonly first?: boolean
  /** Whether {@link problem} is about it. */
  readonly failed?: boolean
}

export const passwordField = (field: Field): Html => input(field, html`type="password" maxlength="1024"`)

/** For a code of a second factor, or a recovery code: a phone shows all letters, because those have some. */
export const codeField = (field: Omit<Field, 'autocomplete'>): Html =>
  input({ ...field, autocomplete: 'one-time-code' }, CODE)

const CODE = html`type="text" maxlength="64" autocapitalize="none" spellcheck="false"`

const input = ({ name, label, autocomplete, first, failed }: Field, kind: Html): Html => html`
<label for="${name}">${label}</label>
<input ${kind} id="${name}" name="${name}" required autocomplete="${autocomplete}"${first && AUTOFOCUS}${failed && DESCRIBED}>`

const AUTOFOCUS = html` autofocus`
const DESCRIBED = html` aria-describedby="problem"`
