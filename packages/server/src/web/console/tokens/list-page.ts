/** The list of the user's own tokens. */
import { SHORTEST_LIFE_MS } from '../../../reminder-steps.ts'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { chip, stateChip } from '../chip.ts'
import type { ConsoleContent } from '../layout.ts'
import { limitChips } from '../limits.ts'
import { addressOf, filterSelect, filterText, type ListPage, list } from '../list.ts'
import type { ListedSession, Session } from '../records.ts'
import { day, orNever, relative, SOON_MS } from '../time.ts'

const text = words.tokens

/** The description that its owner gave it. */
export const nameOf = ({ description }: Pick<Session, 'description'>): string =>
  description === null || description === '' ? text.none : visibleText(description, 80)

/** The number of active sessions that the jobs of one rule opened. */
export interface JobSessions {
  readonly rule: string
  readonly sessions: number
  /** Whether there are more than were counted. */
  readonly more: boolean
}

export interface TokensPage extends ListPage {
  readonly tokens: readonly ListedSession[]
  /** The next tokens that expire within 30 days. */
  readonly ending: readonly ListedSession[]
  /** The active sessions of CI jobs by rule, if the list leaves them out. */
  readonly jobs: readonly JobSessions[]
  /** The session of this browser. */
  readonly current: string
  readonly now: Date
}

export const tokensPage = (page: TokensPage): ConsoleContent => ({
  title: text.title,
  section: 'tokens',
  beside: html`<a class="button primary push" href="/console/tokens/new">${text.make}</a>`,
  body: html`${page.ending.length > 0 && endingNotice(page)}${tokenList(page)}${page.jobs.length > 0 && jobList(page.jobs)}
<p><a href="/console/tokens/explain">${text.explainLink}</a></p>`,
})

const endingNotice = ({ ending, now }: TokensPage): Html => html`
<div class="notice warn" role="status"><strong>${text.ending(ending.length)}</strong> ${text.endingAdvice}
<ul>${ending.map(
  (token) =>
    html`<li>${nameOf(token)}, ${relative(token.valid_until, now)} <a href="/console/tokens/${token.session_id}/rotate">${text.rotate}</a></li>`,
)}</ul></div>`

const jobList = (jobs: readonly JobSessions[]): Html => html`
<section class="card"><h2>${text.jobs.title}</h2><p class="quiet">${text.jobs.what}</p>
<ul>${jobs.map(
  ({ rule, sessions, more }) =>
    html`<li><a href="${addressOf('/console/tokens', [['rule', rule]])}">${visibleText(rule, 64)}</a>: ${text.jobs.active(sessions, more)}</li>`,
)}</ul></section>`

const tokenList = ({ tokens, next, query, current, now }: TokensPage): Html =>
  list<ListedSession>({
    ...{ path: '/console/tokens', query, rows: tokens, next, label: text.label },
    filters: [
      filterText(query, { name: 'q', label: text.description }),
      filterSelect(query, {
        name: 'state',
        label: text.state,
        choices: Object.entries(text.states).map(([value, label]) => ({
          value: value === 'active' ? '' : value,
          label,
        })),
      }),
      filterSelect(query, {
        name: 'kind',
        label: text.kind,
        choices: Object.entries(text.kinds).map(([value, label]) => ({
          value: value === 'any' ? '' : value,
          label,
        })),
      }),
      filterText(query, { name: 'rule', label: text.rule }),
    ],
    empty: html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
<p><a class="button primary" href="/console/tokens/new">${text.emptyStep}</a></p>
<p class="quiet">${text.emptyCommand} <code>ratafia tokens create --help</code></p>`,
    choose: { form: 'many', name: 'session', value: ({ session_id }) => session_id, label: nameOf },
    columns: [
      {
        label: text.columns.token,
        cell: (token) =>
          html`<a href="/console/tokens/${token.session_id}"><strong>${nameOf(token)}</strong></a>${
            token.session_id === current && html` ${chip(text.thisOne)}`
          }<br><small>${token.rule !== null ? text.job(visibleText(token.rule, 64)) : html`${text.made} ${day(token.valid_since)}`}</small>`,
      },
      { label: text.columns.may, cell: mayDo },
      {
        label: text.columns.ends,
        cell: (token) =>
          html`${endOf(token, now)}<br><small>${words.time.day(new Date(token.valid_until))}</small>`,
      },
      {
        label: text.columns.used,
        cell: ({ last_used_at, last_used_from }) =>
          html`${orNever(last_used_at, (at) => relative(at, now))}${
            last_used_from !== null && html`<br><small>${visibleText(last_used_from, 64)}</small>`
          }`,
      },
    ],
    below: html`<form id="many" class="actions" method="get" action="/console/tokens/revoke">
<button class="danger" type="submit">${text.revokeChosen}</button>
<a class="button danger" href="/console/tokens/revoke-all">${text.revokeAll}</a></form>`,
  })

/** Shows the permissions of a token of any kind, in a row. */
export function mayDo({ kind, limits, manage }: Pick<Session, 'kind' | 'limits' | 'manage'>): Html {
  if (kind === 'developer') return limitChips(limits)
  return html`${chip(text.administers)}${manage?.read_only && chip(text.onlyReads)}`
}

/** Shows whether the token is revoked or expired, or otherwise when it expires. */
export function endOf(session: EndingSession, now: Date): Html {
  const { revoked_at, valid_until } = session
  if (revoked_at !== null) return stateChip('off', text.revoked)
  const left = new Date(valid_until).getTime() - now.getTime()
  if (left <= 0) return stateChip('off', text.expired)
  return stateChip(left < SOON_MS && needsSuccessor(session) ? 'warn' : 'good', relative(valid_until, now))
}

type EndingSession = Pick<Session, 'revoked_at' | 'valid_since' | 'valid_until' | 'kind' | 'rule'>

/**
 * Whether its owner has to replace it before it expires. CI jobs get new tokens, and short-lived ones are meant to
 * expire.
 */
const needsSuccessor = ({ kind, rule, valid_since, valid_until }: EndingSession): boolean =>
  kind === 'developer' &&
  rule === null &&
  Date.parse(valid_until) - Date.parse(valid_since) >= SHORTEST_LIFE_MS
