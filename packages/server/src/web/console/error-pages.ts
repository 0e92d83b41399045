/** The console's error pages (contract/administration.md, C9). */
import { visibleText } from '../../text/visible-text.ts'
import { html } from '../html.ts'
import { words } from '../words/en.ts'
import type { ConsoleContent } from './layout.ts'
import { chosenFilters, type Query } from './list.ts'

export interface ErrorPage {
  readonly status: number
  /** The refusal's message, which explains what to do. */
  readonly message: string
  /** The URL to request again; undefined after a form. */
  readonly again: string | undefined
  /** The list whose filters were refused. */
  readonly list?: { readonly path: string; readonly query: Query } | undefined
}

export const errorPage = ({ status, message, again, list }: ErrorPage): ConsoleContent => ({
  title: words.errors.titles[status] ?? words.errors.titles[status < 500 ? 400 : 500] ?? '',
  section: undefined,
  isNarrow: true,
  body: html`<div class="card"><p class="notice ${status >= 500 ? 'warn' : 'bad'}" role="alert">${visibleText(message, 1_000)}</p>
${status === 503 && html`<p>${words.errors.nothingLost}</p>`}
${list && html`<p>${chosenFilters(list.query)}</p>`}
<p>${again !== undefined && status >= 429 && html`<a class="button" href="${again}">${words.errors.tryAgain}</a> `}${list && html`<a class="button" href="${list.path}">${words.list.clear}</a> `}<a href="/console/">${words.errors.back}</a></p></div>`,
})

export interface SignedOutPage {
  /** The path that the form was sent to, from the root of the service. */
  readonly action: string
  readonly fields: readonly (readonly [string, string])[]
}

/** The page for a form that was sent after its session had expired or was revoked. It keeps what the user typed. */
export const signedOutPage = ({ action, fields }: SignedOutPage): ConsoleContent => ({
  title: words.errors.signedOut,
  section: undefined,
  isNarrow: true,
  body: html`<div class="card"><p class="notice warn" role="alert">${words.errors.signedOutText}</p>
<p><a class="button primary" href="/console/sign-in" target="_blank" rel="noopener">${words.errors.signInElsewhere}</a></p>
<form method="post" action="${action}">${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit">${words.errors.lookAgain}</button></form></div>`,
})

/**
 * The page for a form that took effect before: it was sent again with other fields, or too late to show its secret
 * again.
 */
export const sentBeforePage = (): ConsoleContent => ({
  title: words.errors.sentBefore,
  section: undefined,
  isNarrow: true,
  body: html`<div class="card"><p class="notice warn" role="status">${words.errors.sentBeforeText}</p>
<p><a href="/console/">${words.errors.back}</a></p></div>`,
})
