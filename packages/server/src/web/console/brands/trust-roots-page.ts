/** The list of the accounts that can vouch for brands. */
import type { TrustRootsSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import type { ConsoleContent } from '../layout.ts'
import { type Column, table } from '../table.ts'
import { day } from '../time.ts'

export type TrustRoot = Static<typeof TrustRootsSchema>['trust_roots'][number]

const text = words.trustRoots

export const trustRootColumns: readonly Column<TrustRoot>[] = [
  {
    label: text.columns.account,
    cell: ({ display_name, account_id }) =>
      html`${visibleText(display_name, 64)}<br><code class="quiet">${visibleText(account_id, 64)}</code>`,
  },
  {
    label: text.columns.key,
    cell: ({ key_name, key_id }) =>
      html`${visibleText(words.signingKeys.name(key_name), 64)}<br><code class="quiet" title="${key_id}">${key_id.slice(0, 12)}…</code>`,
  },
  {
    label: text.columns.origin,
    cell: ({ origin }) => (origin === 'built in' ? text.builtIn : text.added),
  },
  { label: text.columns.since, isOptional: true, cell: ({ since }) => day(since) },
  {
    label: text.columns.until,
    cell: ({ until }) => (until === null ? html`<span class="quiet">${text.noEnd}</span>` : day(until)),
  },
]

export const trustRootsPage = (roots: readonly TrustRoot[]): ConsoleContent => ({
  title: text.title,
  section: 'brands',
  trail: [['/console/brands', words.brands.title]],
  body: html`<div class="card"><p>${text.what} <code>${text.commands}</code></p>
${
  roots.length === 0
    ? html`<p><strong>${text.empty}</strong></p>`
    : table<TrustRoot>({ label: text.label, rows: roots, columns: trustRootColumns })
}</div>`,
})
