/** The parts of the account page. */

import { visibleText } from '../../../text/visible-text.ts'
import { type Html, type HtmlValue, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { tokenColumns } from '../all-tokens/token-columns.ts'
import { grantColumns } from '../grants/grant-columns.ts'
import { limitChips } from '../limits.ts'
import type { Agent, AuditEntry, Identity, ListedSession } from '../records.ts'
import { table } from '../table.ts'
import { day, instant } from '../time.ts'
import type { AccountView } from './account-view.ts'
import { accountPath, roleChips } from './list-page.ts'

const text = words.accounts.page

const section = (title: string, content: HtmlValue): Html =>
  html`<section class="card"><h2>${title}</h2>${content}</section>`

export const roleSection = ({ account, summary, grants, more, may, me, now }: AccountView): Html =>
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

export function tokenSection(
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

export const agentSection = ({ account, agents, more, may }: AccountView): Html =>
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

export const identitySection = ({ identities, more }: AccountView): Html =>
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

export const historySection = (entries: readonly AuditEntry[], username: string): Html =>
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
