/** One's own tokens. */
import type { ListedSessionSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { html } from '../html.ts'
import { visibleText } from '../visible-text.ts'
import { words } from '../words/en.ts'
import { stateChip } from './chip.ts'
import { actions, type FormState, postForm, submit } from './form.ts'
import type { ConsoleContent } from './layout.ts'
import { filterSelect, list, type Query } from './list.ts'
import { day, orNever, relative, relativeDay } from './time.ts'

type Session = Static<typeof ListedSessionSchema>

const text = words.tokens
const nameOf = ({ description }: Pick<Session, 'description'>): string =>
  description === null || description === '' ? text.none : visibleText(description, 80)

export interface TokensPage {
  readonly tokens: readonly Session[]
  readonly next: string | null
  readonly query: Query
  readonly now: Date
}

export const tokensPage = ({ tokens, next, query, now }: TokensPage): ConsoleContent => ({
  title: text.title,
  section: 'tokens',
  beside: html`<a class="button primary push" href="/console/tokens/new">${text.make}</a>`,
  body: list<Session>({
    ...{ path: '/console/tokens', query, rows: tokens, next, label: text.label },
    filters: filterSelect(query, {
      name: 'state',
      label: text.state,
      choices: [
        { value: '', label: text.states.active },
        { value: 'all', label: text.states.all },
      ],
    }),
    empty: html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
<p><a class="button primary" href="/console/tokens/new">${text.emptyStep}</a></p>
<p class="quiet">${text.emptyCommand} <code>ratafia tokens create --help</code></p>`,
    columns: [
      {
        label: text.columns.token,
        cell: (one) =>
          html`<a href="/console/tokens/${one.session_id}"><strong>${nameOf(one)}</strong></a><br><span class="quiet">${day(one.valid_since)}</span>`,
      },
      { label: text.columns.ends, cell: ({ valid_until }) => relativeDay(valid_until, now) },
      {
        label: text.columns.used,
        cell: ({ last_used_at, last_used_from }) =>
          html`${orNever(last_used_at, (at) => relative(at, now))}${last_used_from !== null && html`<br><span class="quiet">${text.from} ${last_used_from}</span>`}`,
      },
      { label: text.columns.state, cell: (one) => stateOf(one, now) },
      {
        label: text.columns.actions,
        cell: (one) =>
          one.revoked_at === null &&
          html`<a class="button small danger" href="/console/tokens/${one.session_id}/revoke">${text.revoke}</a>`,
      },
    ],
  }),
})

function stateOf({ revoked_at, valid_until }: Session, now: Date) {
  if (revoked_at !== null) return stateChip('off', text.revoked)
  return new Date(valid_until) > now ? stateChip('good', text.active) : stateChip('off', text.over)
}

export interface RevokeTokenPage {
  readonly form: FormState
  readonly token: Session
}

export const revokeTokenPage = ({ form, token }: RevokeTokenPage): ConsoleContent => ({
  title: text.revokeTitle,
  section: 'tokens',
  isNarrow: true,
  trail: [['/console/tokens', text.title]],
  body: postForm(
    form,
    { action: `/console/tokens/${token.session_id}/revoke`, class: 'card' },
    html`<p>${text.revokeWhat(nameOf(token))}</p>
${actions(submit({ label: text.revokeDo, isDanger: true }), html`<a href="/console/tokens">${words.form.cancel}</a>`)}`,
  ),
})
