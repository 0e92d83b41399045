/** The list of the tokens of all accounts. */

import { visibleText } from '../../../text/visible-text.ts'
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import type { ConsoleContent } from '../layout.ts'
import { filterSelect, filterText, list, moreFilters, type Query } from '../list.ts'
import type { ListedSession } from '../records.ts'
import { tokenColumns } from './token-columns.ts'

const text = words.allTokens
const PATH = '/console/all-tokens'

export interface AllTokensPage {
  readonly tokens: readonly ListedSession[]
  readonly next: string | null
  readonly query: Query
  /** Whether the user may revoke tokens of this account. */
  readonly mayRevoke: (username: string) => boolean
  readonly now: Date
}

const EMPTY_COMMAND = 'ratafia tokens create --help'

export function allTokensPage({ tokens, next, query, mayRevoke, now }: AllTokensPage): ConsoleContent {
  const mayEnd = ({ username, revoked_at }: ListedSession) => revoked_at === null && mayRevoke(username)
  return {
    title: text.title,
    section: 'all-tokens',
    body: list<ListedSession>({
      ...{ path: PATH, query, rows: tokens, next, label: text.label },
      filters: [
        filterText(query, { name: 'q', label: text.description }),
        filterText(query, { name: 'account', label: text.account }),
        filterSelect(query, {
          name: 'state',
          label: text.state,
          choices: choices(words.tokens.states, 'active'),
        }),
        filterSelect(query, { name: 'kind', label: text.kind, choices: choices(words.tokens.kinds, 'any') }),
        moreFilters(
          query,
          ['ends_before', 'unused_since'],
          [
            filterText(query, { name: 'ends_before', label: text.endsBefore, type: 'date' }),
            filterText(query, { name: 'unused_since', label: text.unusedSince, type: 'date' }),
          ],
        ),
      ],
      empty: html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
<p><a class="button primary" href="${PATH}?state=all">${text.emptyStep}</a></p>
<p class="quiet">${text.emptyCommand} <code>${EMPTY_COMMAND}</code></p>`,
      ...(tokens.some(mayEnd) && {
        choose: {
          ...{ form: 'many', name: 'session', label: shortNameOf, may: mayEnd },
          value: ({ session_id }) => session_id,
        },
        below: html`<form id="many" class="actions" method="get" action="${PATH}/revoke">
<button class="danger" type="submit">${text.revokeChosen}</button></form>`,
      }),
      columns: tokenColumns({ now, isOfAll: true, mayRevoke: mayEnd }),
    }),
  }
}

/** The label of a checkbox for screen readers, which need not be complete. */
const shortNameOf = ({ description }: ListedSession): string =>
  description === null || description === '' ? words.tokens.none : visibleText(description, 24)

/** The default choice has an empty value, so that it does not appear in the URL. */
const choices = (labels: Readonly<Record<string, string>>, standard: string) =>
  Object.entries(labels).map(([value, label]) => ({ value: value === standard ? '' : value, label }))
