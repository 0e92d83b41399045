/** The list of accounts. */
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { chips, stateChip } from '../chip.ts'
import type { ConsoleContent } from '../layout.ts'
import { filterSelect, filterText, type ListPage, list } from '../list.ts'
import type { AccountRecord, AccountSummary } from '../records.ts'
import { orNever, relative } from '../time.ts'

const text = words.accounts

export interface AccountsPage extends ListPage {
  readonly accounts: readonly AccountRecord[]
  /** The summaries of these accounts. */
  readonly summaries: readonly AccountSummary[]
  /** Whether the user may create accounts. */
  readonly mayManage: boolean
  readonly now: Date
}

const EMPTY_COMMAND = 'ratafia accounts add USERNAME --name NAME --email ADDRESS'

export function accountsPage({
  accounts,
  next,
  examined,
  summaries,
  query,
  mayManage,
  now,
}: AccountsPage): ConsoleContent {
  const known = new Map(summaries.map((summary) => [summary.id, summary]))
  return {
    title: text.title,
    section: 'accounts',
    beside: mayManage && html`<a class="button primary push" href="/console/accounts/new">${text.make}</a>`,
    body: list<AccountRecord>({
      ...{ path: '/console/accounts', query, rows: accounts, next, examined, label: text.label },
      filters: [
        filterText(query, { name: 'q', label: text.beginning }),
        filterSelect(query, {
          name: 'state',
          label: text.state,
          choices: [
            { value: '', label: text.states.any },
            { value: 'enabled', label: text.states.enabled },
            { value: 'disabled', label: text.states.disabled },
          ],
        }),
      ],
      empty: html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
${mayManage && html`<p><a class="button primary" href="/console/accounts/new">${text.emptyStep}</a></p>`}
<p class="quiet">${text.emptyCommand} <code>${EMPTY_COMMAND}</code></p>`,
      columns: [
        {
          label: text.columns.account,
          cell: (account) =>
            html`<a href="${accountPath(account)}"><strong>${account.username}</strong></a><br><span class="quiet">${visibleText(account.name, 64)}</span>`,
        },
        { label: text.columns.email, cell: ({ email }) => visibleText(email, 80), isOptional: true },
        { label: text.columns.roles, cell: ({ id }) => roleChips(known.get(id)?.roles ?? []) },
        { label: text.columns.agents, cell: ({ id }) => known.get(id)?.agents, isNumber: true },
        {
          label: text.columns.newest,
          cell: ({ id }) => orNever(known.get(id)?.newest_session_at ?? null, (at) => relative(at, now)),
        },
        { label: text.columns.state, cell: accountState },
      ],
    }),
  }
}

/** `id` is absent if it is unknown. */
type Linked = Pick<AccountRecord, 'username'> & Partial<Pick<AccountRecord, 'id'>>

/**
 * The path of an account's page. `new` can be a username, but its path is another page. Without an id, the path is
 * then that of the list.
 */
export function accountPath({ id, username }: Linked): string {
  if (username !== 'new') return `/console/accounts/${encodeURIComponent(username)}`
  return id === undefined ? '/console/accounts?q=new' : `/console/accounts/${encodeURIComponent(id)}`
}

export const roleChips = (roles: AccountSummary['roles']): Html =>
  chips(roles.map(({ role, brand }) => text.role(role, brand)))

export function accountState({
  disabled_at,
  removed_at,
}: Pick<AccountRecord, 'disabled_at' | 'removed_at'>): Html {
  if (removed_at !== undefined) return stateChip('off', text.removed)
  return disabled_at === null ? stateChip('good', text.enabled) : stateChip('off', text.disabled)
}
