/** The pages that grant and remove a role. */
import { ROLE_NAMES, ROLES } from '@ratafia/api'
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
  typedField,
} from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import type { Grant } from '../records.ts'

const text = words.grants
const TRAIL = [['/console/grants', text.title]] as const
const CANCEL = html`<a href="/console/grants">${words.form.cancel}</a>`

/** The agents that the account already has. */
export interface OlderAgents {
  readonly account: string
  readonly names: readonly string[]
}

export interface AddGrantPage {
  readonly form: FormState
  /** The account's older agents; undefined until the account is known, and for an account without agents. */
  readonly older: OlderAgents | undefined
}

export const addGrantPage = ({ form, older }: AddGrantPage): ConsoleContent => ({
  title: text.addPage.title,
  section: 'grants',
  isNarrow: true,
  trail: TRAIL,
  body: postForm(
    form,
    { action: '/console/grants/new', class: 'card' },
    html`<p>${text.addPage.what}</p>
${textField(form, { name: 'account', label: text.addPage.account, hint: text.addPage.accountHint, required: true, maxlength: 64 })}
${choiceField(form, {
  name: 'role',
  label: text.role,
  choices: ROLE_NAMES.map((role) => ({
    value: role,
    label: html`<strong>${role}</strong>: ${ROLES[role].meaning} <span class="quiet">${text.scopes[ROLES[role].scope]}</span>`,
  })),
})}
${textField(form, { name: 'brand', label: text.addPage.brand, hint: text.addPage.brandHint, maxlength: 64 })}
${older && olderAgents(form, older)}
${textField(form, { name: 'expires', type: 'date', label: text.addPage.ends, hint: text.addPage.endsHint })}
${actions(submit({ label: text.addPage.does }), CANCEL)}`,
  ),
})

/** `agents_of` contains the account whose agents the user has seen. */
const olderAgents = (form: FormState, { account, names }: OlderAgents): Html =>
  html`${hidden({ agents_of: account })}${choiceField(form, {
    ...{ name: 'agent', label: text.addPage.agents, hint: text.addPage.agentsHint, isMany: true },
    choices: names.map((name) => ({ value: name, label: visibleText(name, 64) })),
  })}`

export interface RemoveGrantPage extends ChangeForm {
  readonly grant: Grant
}

export const removeGrantPage = ({ form, grant, etag }: RemoveGrantPage): ConsoleContent => {
  const { id, account, role, brand, granted_at, granted_by } = grant
  const granted = words.time.day(new Date(granted_at))
  return {
    title: text.removePage.title,
    section: 'grants',
    isNarrow: true,
    trail: TRAIL,
    body: postForm(
      form,
      { action: `/console/grants/${encodeURIComponent(id)}/remove`, class: 'card' },
      html`${hidden({ seen: etag })}<p>${text.removePage.what(account, role, brand)}</p>
<p class="quiet">${text.removePage.since(granted, visibleText(granted_by, 64))}</p>
${typedField(form, account)}
${actions(submit({ label: text.removePage.does, isDanger: true }), CANCEL)}`,
    ),
  }
}

/** The page that replaces the form if the service would refuse the removal. */
export const grantStaysPage = ({ message }: { readonly message: string }): ConsoleContent => ({
  title: text.removePage.refused,
  section: 'grants',
  isNarrow: true,
  trail: TRAIL,
  body: html`<div class="card"><p class="notice warn" role="alert">${message}</p>
<p><a href="/console/grants">${text.title}</a></p></div>`,
})
