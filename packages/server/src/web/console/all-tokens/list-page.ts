/** The list of the tokens of all accounts. */
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { accountPath } from '../accounts/list-page.ts'
import type { ConsoleContent } from '../layout.ts'
import { filterSelect, filterText, type ListPage, list, moreFilters } from '../list.ts'
import type { ListedSession } from '../records.ts'
import type { Column } from '../table.ts'
import { orNever, relative, SOON_MS } from '../time.ts'
import { endOf, mayDo, nameOf } from '../tokens/list-page.ts'

const text = words.allTokens
const PATH = '/console/all-tokens'

export interface AllTokensPage extends ListPage {
  readonly tokens: readonly ListedSession[]
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

interface TokenColumns {
  readonly now: Date
  /**
   * In the list of all tokens: shows their account, and only as much of each as a page of a hundred has room for (C15).
   */
  readonly isOfAll: boolean
  /** Whether the user may revoke the token, if it is not revoked yet. */
  readonly mayRevoke: (token: ListedSession) => boolean
}

export function tokenColumns({ now, isOfAll, mayRevoke }: TokenColumns): readonly Column<ListedSession>[] {
  const token: Column<ListedSession> = {
    label: text.columns.token,
    cell: (token) =>
      html`<a href="/console/all-tokens/${token.session_id}">${nameOf(token)}</a><br><small>${originOf(token)}</small>`,
  }
  const account: Column<ListedSession> = {
    label: text.columns.account,
    cell: ({ username }) => html`<a href="${accountPath({ username })}">${username}</a>`,
  }
  const ends: Column<ListedSession> = {
    label: text.columns.ends,
    cell: (token) => html`${stateOf(token, now)}<br><small>${dayOf(token.valid_until)}</small>`,
  }
  const used: Column<ListedSession> = {
    label: text.columns.used,
    cell: ({ last_used_at, last_used_from }) =>
      html`${orNever(last_used_at, (at) => briefly(at, now))}${
        last_used_from !== null && html`<br><small>${visibleText(last_used_from, 64)}</small>`
      }`,
  }
  if (isOfAll) return [token, account, ends, used]
  const may: Column<ListedSession> = { label: text.columns.may, cell: mayDo, isOptional: true }
  const actions: Column<ListedSession> = {
    label: text.columns.actions,
    cell: (token) =>
      token.revoked_at === null &&
      mayRevoke(token) &&
      html`<a class="button small danger" href="/console/all-tokens/${token.session_id}/revoke">${text.revoke}</a>`,
  }
  return [token, may, ends, used, actions]
}

/** Shows a chip unless the token is active for longer. A sign-in always expires soon, so it needs no chip for that. */
function stateOf(token: ListedSession, now: Date): Html {
  const left = new Date(token.valid_until).getTime() - now.getTime()
  const isSimple = token.revoked_at === null && left > (token.kind === 'management' ? 0 : SOON_MS)
  return isSimple ? briefly(token.valid_until, now) : endOf(token, now)
}

/** Drops the seconds, which saves space. */
const briefly = (at: string, now: Date): Html => relative(`${at.slice(0, 16)}Z`, now)

/** Shows when the token was created, or which rule opened it. */
function originOf({ rule, kind, valid_since }: ListedSession): string {
  if (rule !== null) return words.tokens.job(visibleText(rule, 64))
  return text.made(dayOf(valid_since), kind === 'management')
}

const dayOf = (at: string): string => words.time.day(new Date(at))
