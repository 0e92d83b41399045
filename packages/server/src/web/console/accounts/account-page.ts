/** The account page: its data, roles, tokens, agents and recent activity. */

import { visibleText } from '../../../text/visible-text.ts'
import { type Html, type HtmlValue, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import type { ConsoleContent } from '../layout.ts'
import type { AccountRecord } from '../records.ts'
import { instant, orNever, relative } from '../time.ts'
import { agentSection, historySection, identitySection, roleSection, tokenSection } from './account-parts.ts'
import type { AccountView } from './account-view.ts'
import { accountPath, accountState } from './list-page.ts'

const text = words.accounts.page

export function accountPage(page: AccountView): ConsoleContent {
  const { account, summary, may } = page
  const isRemoved = account.removed_at !== undefined
  return {
    title: account.username,
    section: 'accounts',
    trail: [['/console/accounts', words.accounts.title]],
    beside: html`${accountState(account)}${may.manage && !isRemoved && buttons(account)}`,
    body: html`${!summary.may_act && html`<p class="notice warn" role="status">${words.accounts.cannotAct}</p>`}
<div class="cols">${facts(page)}${identitySection(page)}</div>
${roleSection(page)}
${page.tokens && tokenSection(page.tokens, page)}
${agentSection(page)}
${page.history && historySection(page.history, account.username)}
${may.manage && !isRemoved && html`<p class="quiet">${text.removal}</p>`}`,
  }
}

function buttons(account: AccountRecord): Html {
  const at = accountPath(account)
  return html`<a class="button push" href="${at}/edit">${text.edit}</a>
<a class="button" href="${at}/password-link">${text.link}</a>
${
  account.disabled_at === null
    ? html`<a class="button danger" href="${at}/disable">${text.disable}</a>`
    : html`<a class="button" href="${at}/enable">${text.enable}</a>`
}`
}

const remindersOf = ({ reminders }: AccountRecord, sentBy: AccountView['sentBy']): string =>
  !reminders ? text.off : sentBy.includes('mail') ? text.on : text.onWithoutMail

function facts({ account, summary, sentBy, now }: AccountView): Html {
  const rows: readonly (readonly [string, HtmlValue])[] = [
    [text.name, visibleText(account.name, 128)],
    [text.email, account.email === '' ? words.accounts.noEmail : visibleText(account.email, 254)],
    [text.id, html`<code>${account.id}</code>`],
    [text.made, instant(account.created_at)],
    [
      text.newest,
      html`${orNever(summary.newest_session_at, (at) => html`${relative(at, now)}, ${instant(at)}`)} <span class="quiet">${text.newestHint}</span>`,
    ],
    [text.disabledAt, account.disabled_at && instant(account.disabled_at)],
    [text.removedAt, account.removed_at !== undefined && instant(account.removed_at)],
    [text.password, account.password ? text.hasPassword : text.noPassword],
    [
      text.passwordLogins,
      account.password && (account.password_logins ? text.mayUsePassword : text.mayNotUsePassword),
    ],
    [text.secondFactor, account.second_factor ? text.yes : text.no],
    [text.reminders, remindersOf(account, sentBy)],
    [text.loginsSince, account.logins_since && instant(account.logins_since)],
  ]
  return html`<section class="card"><h2>${text.facts}</h2><dl>${rows
    .filter(([, value]) => value !== null && value !== false && value !== '')
    .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>`
}
