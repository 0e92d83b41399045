/** The columns for grants, in the list of all grants and on the account page. */

import { visibleText } from '../../../text/visible-text.ts'
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { accountPath } from '../accounts/list-page.ts'
import { chip, stateChip } from '../chip.ts'
import type { Grant } from '../records.ts'
import type { Column } from '../table.ts'
import { day, relative } from '../time.ts'

const text = words.grants

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
