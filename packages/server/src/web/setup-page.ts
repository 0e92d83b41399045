/** The page of the setup link: a form for the first account, which administers the installation. */
import { visibleText } from '../text/visible-text.ts'
import { hidden } from './form-fields.ts'
import { type Html, html } from './html.ts'
import { page } from './layout.ts'

export interface SetupPage {
  readonly csrf: string
  /** Whether others on the network can read what the form sends. */
  readonly isReadable: boolean
  /** The fields as typed before, except passwords. */
  readonly fields?: Readonly<Record<'username' | 'name' | 'email', string>>
  /** Why the form was refused. */
  readonly problems?: readonly { readonly field: string | undefined; readonly message: string }[]
}

export function setupPage({ csrf, isReadable, fields, problems = [] }: SetupPage): string {
  const wrong = new Set(problems.map(({ field }) => field))
  const first = FIELDS.find(({ name }) => wrong.has(name)) ?? FIELDS[0]
  return page({
    title: 'Create the first operator',
    brand: 'setup',
    failed: problems.length > 0,
    body: html`
<p>This installation has no accounts yet. The first one gets the role <strong>operator</strong>: it can administer
everything, and create more accounts.</p>
${isReadable && OVER_HTTP}
${problems.length > 0 && html`<div class="notice bad" role="alert" id="problem">${problems.map(({ message }) => html`<p>${message}</p>`)}</div>`}
<form method="post">${hidden({ csrf })}
${FIELDS.map((field) => inputOf(field, { fields, isFirst: field === first, isWrong: wrong.has(field.name) }))}
<div class="actions"><button class="primary" type="submit">Create operator</button></div>
</form>
<p class="quiet">The link of this page works once. Programs that preview it don't use it up.</p>`,
  })
}

const OVER_HTTP = html`<p class="notice warn">This page reached you over plain HTTP: others on the network can read the
password you choose. Open the link over https, or in a browser on the host.</p>`

interface Field {
  readonly name: string
  readonly label: string
  readonly attributes: Html
  readonly hint?: string
}

const PASSWORD = html`type="password" maxlength="1024" autocomplete="new-password"`

const FIELDS: readonly Field[] = [
  {
    name: 'username',
    label: 'Username',
    attributes: html`type="text" maxlength="28" autocomplete="username" autocapitalize="none" spellcheck="false"`,
    hint: '2 to 28 characters: a-z, 0-9 and single dashes inside.',
  },
  { name: 'name', label: 'Name', attributes: html`type="text" maxlength="256" autocomplete="name"` },
  {
    name: 'email',
    label: 'E-mail address',
    attributes: html`type="text" inputmode="email" maxlength="254" autocomplete="email" autocapitalize="none" spellcheck="false"`,
  },
  {
    name: 'password',
    label: 'Password',
    attributes: PASSWORD,
    hint: 'At least 8 characters. A few words that do not belong together are easy to remember.',
  },
  { name: 'again', label: 'Repeat password', attributes: PASSWORD },
]

interface Shown {
  readonly fields: SetupPage['fields'] | undefined
  readonly isFirst: boolean
  readonly isWrong: boolean
}

/** Screen readers read the hint and the problem together with the field. */
function inputOf({ name, label, attributes, hint }: Field, { fields, isFirst, isWrong }: Shown): Html {
  const described = [...(isWrong ? ['problem'] : []), ...(hint === undefined ? [] : [`${name}-hint`])].join(
    ' ',
  )
  const typed = new Map(Object.entries(fields ?? {})).get(name)
  return html`
<label for="${name}">${label}</label>
<input ${attributes} id="${name}" name="${name}" required${typed !== undefined && html` value="${visibleText(typed, 256)}"`}${
    described !== '' && html` aria-describedby="${described}"`
  }${isWrong && html` aria-invalid="true"`}${isFirst && html` autofocus`}>
${hint !== undefined && html`<p class="quiet" id="${name}-hint">${hint}</p>`}`
}
