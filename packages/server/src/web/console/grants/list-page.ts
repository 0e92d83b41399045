/** The list of grants: which account has which role. */
import { ROLE_NAMES, ROLES } from '@ratafia/api'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import type { ConsoleContent } from '../layout.ts'
import { filterSelect, filterText, list, type Query } from '../list.ts'
import type { Grant } from '../records.ts'
import { grantColumns } from './grant-columns.ts'

const text = words.grants

export interface GrantsPage {
  readonly grants: readonly Grant[]
  readonly next: string | null
  readonly query: Query
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
