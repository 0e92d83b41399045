/** The account page: its data, roles, tokens, agents and recent activity. */
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, type HtmlValue, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { tokenColumns } from '../all-tokens/list-page.ts'
import { grantColumns } from '../grants/list-page.ts'
import type { ConsoleContent } from '../layout.ts'
import { limitChips } from '../limits.ts'
import type {
  AccountRecord,
  AccountSummary,
  Agent,
  AuditEntry,
  Grant,
  Identity,
  ListedSession,
} from '../records.ts'
import { table } from '../table.ts'
import { day, instant, orNever, relative } from '../time.ts'
import { accountPath, accountState, roleChips } from './list-page.ts'

/** A part is undefined if the user may not see it. */
export interface AccountView {
  readonly account: AccountRecord
  readonly summary: AccountSummary
  readonly grants: readonly Grant[] | undefined
  readonly agents: readonly Agent[]
  readonly identities: readonly Identity[]
  /** Whether there are more of each than listed here. */
  readonly more: { readonly agents: boolean; readonly identities: boolean; readonly grants: boolean }
  /** The newest active tokens. */
  readonly tokens: readonly ListedSession[] | undefined
  /** The entries by the account and about it, newest first. */
  readonly history: readonly AuditEntry[] | undefined
  /** The changes that the user may make. */
  readonly may: {
    readonly manage: boolean
    readonly grant: boolean
    readonly revoke: boolean
  }
  /** How the service sends reminders. */
  readonly sentBy: readonly string[]
  /** The account of the user. */
  readonly me: string
  readonly now: Date
}

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

const section = (title: string, content: HtmlValue): Html =>
  html`<section class="card"><h2>${title}</h2>${content}</section>`

const roleSection = ({ account, summary, grants, more, may, me, now }: AccountView): Html =>
  section(
    text.roles,
    html`${
      grants === undefined
        ? html`<p>${summary.roles.length === 0 ? text.noRoles : roleChips(summary.roles)}</p>
${summary.roles.length > 0 && html`<p class="quiet">${text.rolesHidden}</p>`}`
        : grants.length === 0
          ? html`<p>${text.noRoles}</p>`
          : table({
              label: text.roles,
              rows: grants,
              columns: grantColumns({ now, me, mayRemove: may.grant, withAccount: false }),
            })
    }${
      more.grants &&
      html`<p class="pager"><a href="/console/grants?account=${encodeURIComponent(account.username)}">${text.allRoles}</a></p>`
    }${
      may.grant &&
      account.removed_at === undefined &&
      html`<p><a class="button small" href="/console/grants/new?account=${encodeURIComponent(account.username)}">${text.addRole}</a></p>`
    }`,
  )

function tokenSection(
  tokens: readonly ListedSession[],
  { account, may, now }: Pick<AccountView, 'account' | 'may' | 'now'>,
): Html {
  const all = `/console/all-tokens?account=${encodeURIComponent(account.username)}&state=all`
  const columns = tokenColumns({ now, isOfAll: false, mayRevoke: () => may.revoke })
  return section(
    text.tokens,
    html`${tokens.length === 0 ? html`<p>${text.noTokens}</p>` : table({ label: text.tokens, rows: tokens, columns })}
<p class="pager"><a href="${all}">${text.allTokens}</a></p>`,
  )
}

const agentSection = ({ account, agents, more, may }: AccountView): Html =>
  section(
    text.agents,
    agents.length === 0
      ? html`<p>${text.noAgents}</p>`
      : html`${table<Agent>({
          label: text.agents,
          rows: agents,
          columns: [
            { label: text.agentColumns.name, cell: ({ name }) => visibleText(name, 64) },
            { label: text.agentColumns.limits, cell: ({ limits }) => limitChips(limits) },
            { label: text.agentColumns.made, cell: ({ created_at }) => day(created_at), isOptional: true },
            ...(may.manage
              ? [
                  {
                    label: text.agentColumns.actions,
                    cell: ({ name }: Agent) =>
                      html`<a class="button small danger" href="${accountPath(account)}/agents/${encodeURIComponent(name)}/remove">${text.remove}</a>`,
                  },
                ]
              : []),
          ],
        })}${more.agents && html`<p class="quiet">${text.moreAgents}</p>`}`,
  )

const LINK_COMMAND = 'ratafia accounts link'

const identitySection = ({ identities, more }: AccountView): Html =>
  section(
    text.identities,
    identities.length === 0
      ? html`<p>${text.noIdentities} <code>${LINK_COMMAND}</code></p>`
      : html`${table<Identity>({
          label: text.identities,
          rows: identities,
          columns: [
            { label: text.identityColumns.issuer, cell: ({ issuer }) => visibleText(issuer, 128) },
            { label: text.identityColumns.subject, cell: ({ subject }) => visibleText(subject, 128) },
            { label: text.identityColumns.linked, cell: ({ linked_at }) => day(linked_at), isOptional: true },
          ],
        })}${more.identities && html`<p class="quiet">${text.moreIdentities}</p>`}`,
  )

const historySection = (entries: readonly AuditEntry[], username: string): Html =>
  section(
    text.history,
    html`${
      entries.length === 0
        ? html`<p>${text.noHistory}</p>`
        : html`<ol class="time">${entries.map(
            ({ at, action, actor, subject }) =>
              html`<li>${instant(at)} · <code>${visibleText(action, 81)}</code> ${
                subject === username ? text.by(visibleText(actor, 80)) : text.about(visibleText(subject, 80))
              }</li>`,
          )}</ol>`
    }
<p class="pager"><a href="/console/audit?subject=${encodeURIComponent(username)}">${text.historyAbout}</a>
<a href="/console/audit?actor=${encodeURIComponent(`account:${username}`)}">${text.historyBy}</a></p>`,
  )
