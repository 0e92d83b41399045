/** The forms that create and edit an account. */
import { ROLE_NAMES } from '@ratafia/api'
import { visibleText } from '../../../text/visible-text.ts'
import { hidden } from '../../form-fields.ts'
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import {
  actions,
  type ChangeForm,
  checkField,
  type FormState,
  postForm,
  selectField,
  submit,
  textField,
} from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import type { AccountRecord } from '../records.ts'
import { accountPath } from './list-page.ts'

const text = words.accounts
const TRAIL = [['/console/accounts', text.title]] as const
/** The API accepts this many. */
const MOST_CHARACTERS = 1024

export interface NewAccountPage {
  readonly form: FormState
  /** How the service sends reminders. */
  readonly sentBy: readonly string[]
  /** Whether the user may grant roles. */
  readonly mayGrant: boolean
}

export const newAccountPage = ({ form, sentBy, mayGrant }: NewAccountPage): ConsoleContent => ({
  title: text.newPage.title,
  section: 'accounts',
  isNarrow: true,
  trail: TRAIL,
  body: postForm(
    form,
    { action: '/console/accounts/new', class: 'card' },
    html`<p>${text.newPage.what}</p>
${textField(form, {
  name: 'username',
  label: text.newPage.username,
  hint: text.newPage.usernameHint,
  required: true,
  maxlength: 28,
  isMono: true,
})}
${textField(form, { name: 'name', label: text.newPage.name, hint: text.newPage.nameHint, required: true, maxlength: MOST_CHARACTERS })}
${textField(form, {
  name: 'email',
  label: text.newPage.email,
  hint: sentBy.includes('mail')
    ? text.newPage.emailHint
    : html`${text.newPage.emailHintWithoutMail} ${words.reminders.noMail(sentBy)}`,
  isEmail: true,
  required: true,
  maxlength: MOST_CHARACTERS,
})}
${
  mayGrant &&
  html`${selectField(form, {
    name: 'role',
    label: text.newPage.role,
    hint: text.newPage.roleHint,
    choices: [
      { value: '', label: text.newPage.noRole },
      ...ROLE_NAMES.map((role) => ({ value: role, label: role })),
    ],
  })}
${textField(form, { name: 'brand', label: text.newPage.brand, hint: text.newPage.brandHint, maxlength: 64 })}`
}
${actions(submit({ label: text.newPage.does }), html`<a href="/console/accounts">${words.form.cancel}</a>`)}`,
  ),
})

export interface EditAccountPage extends ChangeForm {
  readonly account: AccountRecord
  /** Whether the account has changed since the user opened the form. */
  readonly hasChanged: boolean
  readonly sentBy: NewAccountPage['sentBy']
}

export function editAccountPage({
  form,
  account,
  etag,
  hasChanged,
  sentBy,
}: EditAccountPage): ConsoleContent {
  const { username, name, email, reminders } = account
  const isNow = (value: string) => hasChanged && text.editPage.isNow(value)
  return {
    title: text.editPage.title(username),
    section: 'accounts',
    isNarrow: true,
    trail: [...TRAIL, [accountPath(account), username]],
    body: postForm(
      form,
      { action: `${accountPath(account)}/edit`, class: 'card' },
      html`${hidden({ seen: etag })}
${textField(form, {
  name: 'name',
  label: text.newPage.name,
  hint: isNow(visibleText(name, 128)),
  value: name,
  required: true,
  maxlength: MOST_CHARACTERS,
})}
${textField(form, {
  name: 'email',
  label: text.newPage.email,
  hint: isNow(visibleText(email, 254)),
  value: email,
  isEmail: true,
  // An account of an external identity service can have none.
  required: email !== '',
  maxlength: MOST_CHARACTERS,
})}
${checkField(form, {
  name: 'reminders',
  label: text.editPage.reminders,
  hint: html`${isNow(reminders ? text.editPage.on : text.editPage.off)} ${
    !sentBy.includes('mail') && words.reminders.noMail(sentBy)
  }`,
  isChecked: reminders,
})}
${actions(submit({ label: text.editPage.does }), html`<a href="${accountPath(account)}">${words.form.cancel}</a>`)}`,
    ),
  }
}
