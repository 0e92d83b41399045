/** The pages for one of the user's own tokens, and for revoking it. */
import type { Explanation } from '@ratafia/api/schemas'
import { visibleText } from '../../../text/visible-text.ts'
import { parseSignedIn } from '../../../third-party/signed-in.ts'
import { type Html, type HtmlValue, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { chip, chips, stateChip } from '../chip.ts'
import {
  actions,
  checkField,
  type FormState,
  postForm,
  secretArea,
  selectField,
  submit,
  typedField,
} from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { limitList } from '../limits.ts'
import type { Session } from '../records.ts'
import { instant, relative } from '../time.ts'
import { endOf, nameOf } from './list-page.ts'

const text = words.tokens
const TRAIL = [['/console/tokens', text.title]] as const

export interface TokenPage {
  readonly token: Session
  /** The session of this browser. */
  readonly current: string
  readonly now: Date
}

export function tokenPage({ token, current, now }: TokenPage): ConsoleContent {
  const isOpen = token.revoked_at === null && new Date(token.valid_until) > now
  const address = `/console/tokens/${token.session_id}`
  return {
    title: nameOf(token),
    section: 'tokens',
    trail: TRAIL,
    beside: html`${endOf(token, now)}${token.session_id === current && chip(text.thisOne)}${
      isOpen &&
      token.kind === 'developer' &&
      html`<a class="button push" href="${address}/rotate">${text.rotate}</a>`
    }${
      isOpen &&
      earlierEnds(token, now).length > 0 &&
      html`<a class="button" href="${address}/shorten">${text.shorten}</a>`
    }${isOpen && html`<a class="button danger" href="${address}/revoke">${text.revoke}</a>`}`,
    body: html`<div class="cols"><section class="card"><h2>${text.page.limits}</h2>${whatItMay(token)}</section>
<section class="card"><h2>${text.page.facts}</h2>${facts(token, now)}</section></div>`,
  }
}

function whatItMay({ kind, limits, manage }: Session): Html {
  if (kind === 'developer') return limitList(limits)
  const { allRoles, allBrands, roles, brands, managementKind } = text.page
  return html`<p>${managementKind}</p>${
    manage &&
    html`<dl><dt>${roles}</dt><dd>${manage.roles === null ? allRoles : chips(manage.roles)}</dd>
<dt>${brands}</dt><dd>${manage.brands === null ? allBrands : chips(manage.brands)}</dd></dl>${manage.read_only && chip(text.onlyReads)}`
  }`
}

function facts(token: Session, now: Date): Html {
  const { page } = text
  const rows: readonly (readonly [string, HtmlValue])[] = [
    [page.made, instant(token.valid_since)],
    [page.ends, html`${instant(token.valid_until)} (${relative(token.valid_until, now)})`],
    [
      page.revoked,
      token.revoked_at !== null &&
        html`${instant(token.revoked_at)} ${token.revoked_by !== null && page.revokedBy(visibleText(token.revoked_by, 64))}`,
    ],
    [page.openedFrom, token.opened_from !== null && visibleText(token.opened_from, 64)],
    [page.signedIn, token.signed_in !== null && signedInWith(token.signed_in)],
    [page.kind, token.rule !== null ? text.job(visibleText(token.rule, 64)) : text.kinds[token.kind]],
    [page.session, html`<code>${token.session_id}</code>`],
  ]
  return html`<dl>${rows.map(([name, value]) => value !== false && html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

/** Shows how the user signed in: in a browser and when, or as which agent. */
export function signedInWith(declared: string): HtmlValue {
  const signIn = parseSignedIn(declared)
  if (signIn.kind !== 'person') return visibleText(declared, 80)
  return html`${text.page.browser}, ${instant(signIn.at.toISOString())}`
}

export interface RevokePage {
  readonly form: FormState
  readonly token: Session
  readonly current: string
}

export const revokePage = ({ form, token, current }: RevokePage): ConsoleContent => ({
  title: text.revokePage.title,
  section: 'tokens',
  isNarrow: true,
  trail: [...TRAIL, [`/console/tokens/${token.session_id}`, nameOf(token)]],
  body: postForm(
    form,
    { action: `/console/tokens/${token.session_id}/revoke`, class: 'card' },
    html`<p>${text.revokePage.what(nameOf(token))}</p>
${token.session_id === current && html`<p class="notice warn">${text.revokePage.thisBrowser}</p>`}
${actions(submit({ label: text.revokePage.does, isDanger: true }), CANCEL)}`,
  ),
})

export interface RevokeManyPage {
  readonly form: FormState
  readonly tokens: readonly Session[]
  readonly current: string
}

export const revokeManyPage = ({ form, tokens, current }: RevokeManyPage): ConsoleContent => ({
  title: text.revokePage.manyTitle(tokens.length),
  section: 'tokens',
  isNarrow: true,
  trail: TRAIL,
  body: postForm(
    form,
    { action: '/console/tokens/revoke', class: 'card' },
    html`<p>${text.revokePage.manyWhat}</p>
<ul>${tokens.map(
      (token) =>
        html`<li>${nameOf(token)}${token.session_id === current && html` ${chip(text.thisOne)}`}<input type="hidden" name="session" value="${token.session_id}"></li>`,
    )}</ul>
${typedField(form, text.revokePage.typed(tokens.length))}
${actions(submit({ label: text.revokePage.manyDoes, isDanger: true }), CANCEL)}`,
  ),
})

export const revokeAllPage = ({ form }: { readonly form: FormState }): ConsoleContent => ({
  title: text.revokePage.allTitle,
  section: 'tokens',
  isNarrow: true,
  trail: TRAIL,
  body: postForm(
    form,
    { action: '/console/tokens/revoke-all', class: 'card' },
    html`<p>${text.revokePage.allWhat}</p>
${checkField(form, { name: 'keep', label: text.revokePage.allButThis, isChecked: true })}
${typedField(form, text.revokePage.all)}
${actions(submit({ label: text.revokePage.allDoes, isDanger: true }), CANCEL)}`,
  ),
})

const CANCEL = html`<a href="/console/tokens">${words.form.cancel}</a>`

const explaining = words.tokens.explainPage

export interface ExplainPage {
  readonly form: FormState
  /** The explanation of the pasted token. */
  readonly explanation: Explanation | undefined
  readonly now: Date
}

export const explainPage = ({ form, explanation, now }: ExplainPage): ConsoleContent => ({
  title: explaining.title,
  section: 'tokens',
  isNarrow: true,
  trail: [['/console/tokens', words.tokens.title]],
  body: html`${explanation && answer(explanation, now)}
${postForm(
  form,
  { action: '/console/tokens/explain', class: 'card' },
  html`<p>${explaining.what}</p>
${secretArea(form, { name: 'token', label: explaining.token, rows: 5, maxlength: 61_440 })}
${actions(submit({ label: explaining.does }))}`,
)}`,
})

function answer(explanation: Explanation, now: Date): Html {
  const { kind, accepted, refusal, username, session_id, expires, limits, may } = explanation
  return html`<section class="card" role="status">
<h2>${accepted ? stateChip('good', explaining.isAccepted) : stateChip('off', explaining.isRefused)}</h2>
${refusal && html`<p class="notice bad">${visibleText(refusal.message, 500)}</p>`}
<dl><dt>${explaining.kind}</dt><dd>${kind === null ? explaining.unknown : explaining.kinds[kind]}</dd>
${username !== null && html`<dt>${explaining.whose}</dt><dd>${visibleText(username, 64)}</dd>`}
${expires !== null && html`<dt>${explaining.ends}</dt><dd>${instant(expires)} (${relative(expires, now)})</dd>`}
${session_id !== null && html`<dt>${explaining.session}</dt><dd><code>${session_id}</code></dd>`}</dl>
${limits && limitList(limits)}
${
  may &&
  html`<h3>${explaining.permissions}</h3><ul>${may.map(
    ({ permission, brands }) =>
      html`<li><code>${permission}</code> ${brands !== null && explaining.forBrands(brands.map((brand) => visibleText(brand, 64)).join(', '))}</li>`,
  )}</ul>`
}</section>`
}

const shortening = words.tokens.shortenPage
const DAY_MS = 86_400_000
/** The times to expiry in days that the operation accepts. */
const ENDS = ['1', '7', '30'] as const

/**
 * Returns the times that are before the token's own expiry. There are none if it expires within a day, or has expired.
 */
const earlierEnds = (token: Session, now: Date): readonly (typeof ENDS)[number][] =>
  token.revoked_at !== null
    ? []
    : ENDS.filter((days) => now.getTime() + Number(days) * DAY_MS < Date.parse(token.valid_until))

export interface ShortenPage {
  readonly form: FormState
  readonly token: Session
  readonly now: Date
}

export function shortenPage({ form, token, now }: ShortenPage): ConsoleContent {
  const address = `/console/tokens/${token.session_id}`
  const ends = earlierEnds(token, now)
  const cancel = html`<a href="${address}">${words.form.cancel}</a>`
  return {
    title: shortening.title,
    section: 'tokens',
    isNarrow: true,
    trail: [
      ['/console/tokens', words.tokens.title],
      [address, nameOf(token)],
    ],
    body:
      ends.length === 0
        ? html`<div class="card"><p>${shortening.noEarlier(nameOf(token))}</p><div class="actions">${cancel}</div></div>`
        : postForm(
            form,
            { action: `${address}/shorten`, class: 'card' },
            html`<p>${shortening.what(nameOf(token), instant(token.valid_until))}</p>
${selectField(form, {
  name: 'ends',
  label: shortening.ends,
  choices: ends.map((value) => ({ value, label: words.tokens.newPage.overlaps[value] })),
})}
${actions(submit({ label: shortening.does }), cancel)}`,
          ),
  }
}
