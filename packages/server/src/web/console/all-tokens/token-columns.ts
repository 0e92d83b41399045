/** Tokens as rows: in the list of all, and on the page of their account. */
import { html } from '../../html.ts'
import { visibleText } from '../../visible-text.ts'
import { words } from '../../words/en.ts'
import type { ListedSession } from '../records.ts'
import type { Column } from '../table.ts'
import { day, orNever, relative } from '../time.ts'
import { endOf, mayDo, nameOf } from '../tokens/list-page.ts'

const text = words.allTokens

interface TokenColumns {
  readonly now: Date
  readonly withAccount: boolean
  /** Whether the person may revoke it, if it is not revoked. */
  readonly mayRevoke: (token: ListedSession) => boolean
}

export function tokenColumns({
  now,
  withAccount,
  mayRevoke,
}: TokenColumns): readonly Column<ListedSession>[] {
  const account: Column<ListedSession> = {
    label: text.columns.account,
    cell: ({ username }) => html`<a href="/console/accounts/${encodeURIComponent(username)}">${username}</a>`,
  }
  return [
    {
      label: text.columns.token,
      cell: (token) =>
        html`<a href="/console/all-tokens/${token.session_id}"><strong>${nameOf(token)}</strong></a><br><span class="quiet">${
          token.rule === null
            ? html`${text.made} ${day(token.valid_since)}`
            : words.tokens.job(visibleText(token.rule, 64))
        }</span>`,
    },
    ...(withAccount ? [account] : []),
    { label: text.columns.may, cell: mayDo, isOptional: true },
    {
      label: text.columns.ends,
      cell: (token) => html`${endOf(token, now)}<br><span class="quiet">${day(token.valid_until)}</span>`,
    },
    {
      label: text.columns.used,
      cell: ({ last_used_at, last_used_from }) =>
        html`${orNever(last_used_at, (at) => relative(at, now))}${
          last_used_from !== null && html`<br><span class="quiet">${visibleText(last_used_from, 64)}</span>`
        }`,
    },
    {
      label: text.columns.actions,
      cell: (token) =>
        token.revoked_at === null &&
        mayRevoke(token) &&
        html`<a class="button small danger" href="/console/all-tokens/${token.session_id}/revoke">${text.revoke}</a>`,
    },
  ]
}
