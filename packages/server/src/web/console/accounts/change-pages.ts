/** The pages that confirm each change of an account before it happens. */
import type { PasswordLinkSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { hidden } from '../../form-fields.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, type ChangeForm, type FormState, postForm, submit, typedField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import type { AccountRecord, Agent } from '../records.ts'
import { shownOnce } from '../shown-once.ts'
import { accountPath } from './list-page.ts'

const text = words.accounts

type Named = Pick<AccountRecord, 'id' | 'username'>

const confirmation = (account: Named, title: string, body: Html): ConsoleContent => ({
  title,
  section: 'accounts',
  isNarrow: true,
  trail: [
    ['/console/accounts', text.title],
    [accountPath(account), account.username],
  ],
  body,
})

const cancel = (account: Named): Html => html`<a href="${accountPath(account)}">${words.form.cancel}</a>`

export interface SwitchPage extends ChangeForm {
  readonly account: AccountRecord
}

export const disablePage = (page: SwitchPage): ConsoleContent => switchPage(page, 'disable', text.disablePage)
export const enablePage = (page: SwitchPage): ConsoleContent => switchPage(page, 'enable', text.enablePage)

function switchPage(
  { form, account, etag }: SwitchPage,
  verb: 'disable' | 'enable',
  said: typeof text.disablePage | typeof text.enablePage,
): ConsoleContent {
  const button = submit({ label: said.does, isDanger: verb === 'disable' })
  return confirmation(
    account,
    said.title(account.username),
    postForm(
      form,
      { action: `${accountPath(account)}/${verb}`, class: 'card' },
      html`${hidden({ seen: etag })}<p>${said.what(account.username)}</p>${actions(button, cancel(account))}`,
    ),
  )
}

/** The page that replaces a form if the service would refuse the change. */
export const accountStaysPage = (account: Named, message: string): ConsoleContent =>
  confirmation(
    account,
    text.refused,
    html`<div class="card"><p class="notice warn" role="alert">${message}</p>
<p><a href="${accountPath(account)}">${text.linkShown.done}</a></p></div>`,
  )

export interface PasswordLinkPage {
  readonly form: FormState
  readonly account: AccountRecord
}

export const passwordLinkPage = ({ form, account }: PasswordLinkPage): ConsoleContent =>
  confirmation(
    account,
    text.linkPage.title(account.username),
    postForm(
      form,
      { action: `${accountPath(account)}/password-link`, class: 'card' },
      html`<p>${text.linkPage.what(account.username)}</p><p class="quiet">${text.linkPage.roles}</p>
${actions(submit({ label: text.linkPage.does }), cancel(account))}`,
    ),
  )

export interface LinkShownPage {
  readonly account: Named
  readonly link: Static<typeof PasswordLinkSchema>
  /** Whether the account was created together with the link. */
  readonly isNew: boolean
}

/** The page that shows the secret link once (C6). */
export const linkShownPage = ({ account, link, isNew }: LinkShownPage): ConsoleContent => ({
  ...confirmation(
    account,
    (isNew ? text.linkShown.madeTitle : text.linkShown.title)(account.username),
    html`<p class="notice warn" role="alert">${text.linkShown.once}</p>
${shownOnce({
  id: 'link',
  title: text.linkShown.link,
  value: link.url ?? '',
  note: text.linkShown.until(words.time.instant(new Date(link.expires_at))),
})}
<p><a class="button primary" href="${accountPath(account)}">${text.linkShown.done}</a></p>`,
  ),
  // The page is wide, so that the whole URL fits.
  isNarrow: false,
})

export interface RemoveAgentPage extends ChangeForm {
  readonly account: AccountRecord
  readonly agent: Agent
}

export const removeAgentPage = ({ form, account, agent, etag }: RemoveAgentPage): ConsoleContent => {
  const name = visibleText(agent.name, 64)
  return confirmation(
    account,
    text.agentPage.title(name),
    postForm(
      form,
      { action: `${accountPath(account)}/agents/${encodeURIComponent(agent.name)}/remove`, class: 'card' },
      html`${hidden({ seen: etag })}<p>${text.agentPage.what(name, account.username)}</p>
${typedField(form, agent.name)}
${actions(submit({ label: text.agentPage.does, isDanger: true }), cancel(account))}`,
    ),
  )
}
