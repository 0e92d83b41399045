/** The list of grants: which account has which role. */
import { ROLE_NAMES, ROLES } from '@ratafia/api'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { accountPath } from '../accounts/list-page.ts'
import { chip, stateChip } from '../chip.ts'
import type { ConsoleContent } from '../layout.ts'
import { filterSelect, filterText, type ListPage, list } from '../list.ts'
import type { Grant } from '../records.ts'
import type { Column } from '../table.ts'
import { day, relative } from '../time.ts'

const text = words.grants

export interface GrantsPage extends ListPage {
  readonly grants: readonly Grant[]
  readonly mayManage: boolean
  /** The account of the user. */
  readonly me: string
  readonly now: Date
}

const EMPTY_COMMAND = 'ratafia grants add USERNAME operator'

export const grantsPage = ({ grants, next, query, mayManage, me, now }: GrantsPage): ConsoleContent => ({
  title: text.title,
  section: 'grants',
  beside: mayManage && html`<a class="button primary push" href="/console/grants/new">${text.make}</a>`,
  body: html`${list<Grant>({
    ...{ path: '/console/grants', query, rows: grants, next, label: text.label },
    filters: [
      filterText(query, { name: 'account', label: text.account }),
      filterSelect(query, {
        name: 'role',
        label: text.role,
        choices: [
          { value: '', label: text.anyRole },
          ...ROLE_NAMES.map((role) => ({ value: role, label: role })),
        ],
      }),
      filterText(query, { name: 'brand', label: text.brand }),
    ],
    empty: html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
${mayManage && html`<p><a class="button primary" href="/console/grants/new">${text.emptyStep}</a></p>`}
<p class="quiet">${text.emptyCommand} <code>${EMPTY_COMMAND}</code></p>`,
    columns: grantColumns({ now, me, mayRemove: mayManage, withAccount: true }),
  })}
<section class="card"><h2>${text.meanings}</h2>${roleMeanings()}</section>`,
})

const roleMeanings = (): Html =>
  html`<dl>${ROLE_NAMES.map(
    (role) =>
      html`<dt>${role}</dt><dd>${ROLES[role].meaning} <span class="quiet">${text.scopes[ROLES[role].scope]}</span></dd>`,
  )}</dl>`

interface GrantColumns {
  readonly now: Date
  /** The account of the user. */
  readonly me: string
  readonly mayRemove: boolean
  readonly withAccount: boolean
}

export function grantColumns({ now, me, mayRemove, withAccount }: GrantColumns): readonly Column<Grant>[] {
  const account: Column<Grant> = {
    label: text.columns.account,
    cell: ({ account_id: id, account: username }) =>
      html`<a href="${accountPath({ id, username })}">${username}</a>`,
  }
  const actions: Column<Grant> = {
    label: text.columns.actions,
    cell: ({ id, role, account_id }) =>
      // Operators cannot remove the role from themselves.
      role === 'operator' && account_id === me
        ? html`<span class="quiet">${text.own}</span>`
        : html`<a class="button small danger" href="/console/grants/${encodeURIComponent(id)}/remove">${text.remove}</a>`,
  }
  return [
    ...(withAccount ? [account] : []),
    { label: text.columns.role, cell: ({ role }) => chip(role) },
    {
      label: text.columns.brand,
      cell: ({ brand }) => (brand === null ? text.allBrands : visibleText(brand, 64)),
    },
    {
      label: text.columns.since,
      cell: ({ granted_at, granted_by }) =>
        html`${day(granted_at)} <span class="quiet">${text.by(visibleText(granted_by, 64))}</span>`,
    },
    { label: text.columns.ends, cell: (grant) => endOf(grant, now) },
    ...(mayRemove ? [actions] : []),
  ]
}

function endOf({ expires_at }: Grant, now: Date) {
  if (expires_at === null) return text.noEnd
  if (new Date(expires_at) <= now) return stateChip('off', text.over)
  return html`${relative(expires_at, now)} <span class="quiet">${day(expires_at)}</span>`
}
