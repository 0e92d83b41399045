/** The token page, of any account. */
import type { JobPreviewSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { hidden } from '../../form-fields.ts'
import { type Html, type HtmlValue, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { accountPath } from '../accounts/list-page.ts'
import { chip, chips } from '../chip.ts'
import { actions, type ChangeForm, type FormState, postForm, submit, typedField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { limitList } from '../limits.ts'
import type { Session } from '../records.ts'
import { instant, relative } from '../time.ts'
import { endOf, nameOf } from '../tokens/list-page.ts'
import { signedInWith } from '../tokens/token-page.ts'

const text = words.allTokens.page

export interface AnyTokenPage {
  readonly token: Session
  readonly mayRevoke: boolean
  /** Whether the user sees the audit log. */
  readonly mayAudit: boolean
  readonly now: Date
}

export const anyTokenPage = ({ token, mayRevoke, mayAudit, now }: AnyTokenPage): ConsoleContent => ({
  title: nameOf(token),
  section: 'all-tokens',
  trail: [['/console/all-tokens', words.allTokens.title]],
  beside: html`${endOf(token, now)}${
    mayRevoke &&
    token.revoked_at === null &&
    html`<a class="button danger push" href="/console/all-tokens/${token.session_id}/revoke">${words.allTokens.revoke}</a>`
  }`,
  body: html`<div class="cols"><section class="card"><h2>${text.limits}</h2>${whatItMay(token)}</section>
<section class="card"><h2>${text.facts}</h2>${facts(token, now)}</section></div>
${token.job && html`<section class="card"><h2>${text.job}</h2>${claims(token.job)}</section>`}
${mayAudit && html`<p><a href="/console/audit?subject=${token.session_id}">${text.history}</a></p>`}`,
})

function whatItMay({ kind, limits, manage }: Session): Html {
  if (kind === 'developer') return limitList(limits)
  return manage === null
    ? html`<p>${text.notRecorded}</p>`
    : html`<dl><dt>${text.roles}</dt><dd>${manage.roles === null ? text.allRoles : chips(manage.roles)}</dd>
<dt>${text.brands}</dt><dd>${manage.brands === null ? text.allBrands : chips(manage.brands)}</dd></dl>${
        manage.read_only && chip(words.tokens.onlyReads)
      }`
}

function facts(token: Session, now: Date): Html {
  const { username, revoked_at, revoked_by } = token
  const rows: readonly (readonly [string, HtmlValue])[] = [
    [text.account, html`<a href="${accountPath({ username })}">${username}</a>`],
    [text.kind, token.kind === 'developer' ? text.developerKind : text.managementKind],
    [text.made, instant(token.valid_since)],
    [text.ends, html`${instant(token.valid_until)} (${relative(token.valid_until, now)})`],
    [
      text.revoked,
      revoked_at &&
        html`${instant(revoked_at)} ${revoked_by !== null && text.revokedBy(visibleText(revoked_by, 64))}`,
    ],
    [text.signedIn, token.signed_in !== null && signedInWith(token.signed_in)],
    [text.openedFrom, token.opened_from && visibleText(token.opened_from, 64)],
    [text.rule, token.rule && visibleText(token.rule, 64)],
    [text.issuer, token.issuer && visibleText(token.issuer, 256)],
    [text.session, html`<code>${token.session_id}</code>`],
  ]
  return html`<dl>${rows.map(([name, value]) => value && html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

const claims = (job: Readonly<Record<string, unknown>>): Html =>
  html`<dl>${Object.entries(job).map(
    ([name, value]) => html`<dt>${visibleText(name, 64)}</dt><dd>${visibleText(String(value), 256)}</dd>`,
  )}</dl>`

const PATH = '/console/all-tokens'
const TRAIL = [[PATH, words.allTokens.title]] as const
const CANCEL = html`<a href="${PATH}">${words.form.cancel}</a>`

export interface RevokeAnyPage extends ChangeForm {
  readonly token: Session
}

export const revokeAnyPage = ({ form, token, etag }: RevokeAnyPage): ConsoleContent => ({
  title: words.allTokens.revokePage.title,
  section: 'all-tokens',
  isNarrow: true,
  trail: [...TRAIL, [`${PATH}/${token.session_id}`, nameOf(token)]],
  body:
    token.revoked_at === null
      ? postForm(
          form,
          { action: `${PATH}/${token.session_id}/revoke`, class: 'card' },
          html`${hidden({ seen: etag })}<p>${words.allTokens.revokePage.what(nameOf(token), token.username)}</p>
${typedField(form, token.username)}
${actions(submit({ label: words.allTokens.revokePage.does, isDanger: true }), CANCEL)}`,
        )
      : html`<div class="card"><p class="notice warn" role="status">${words.allTokens.revokePage.already}</p><p><a href="${PATH}">${words.allTokens.revokePage.back}</a></p></div>`,
})

export interface RevokeSomePage {
  readonly form: FormState
  readonly ids: readonly string[]
  readonly preview: Static<typeof JobPreviewSchema>
  /** The first of these tokens. */
  readonly first: readonly Session[]
}

export function revokeSomePage({ form, ids, preview, first }: RevokeSomePage): ConsoleContent {
  const { total, first_refused: refused } = preview
  return {
    title: words.allTokens.revokePage.manyTitle(total),
    section: 'all-tokens',
    isNarrow: true,
    trail: TRAIL,
    body: postForm(
      form,
      { action: `${PATH}/revoke`, class: 'card' },
      html`<p><strong>${words.allTokens.revokePage.nothingYet}</strong> ${words.allTokens.revokePage.would(preview)} ${words.allTokens.revokePage.manyWhat}</p>
<h2>${words.allTokens.revokePage.first(total, first.length)}</h2>
<ul>${first.map((token) => html`<li>${nameOf(token)} <span class="quiet">${token.username}</span></li>`)}</ul>
${refused.length > 0 && refusals(refused)}
${ids.map((session) => hidden({ session }))}
${typedField(form, words.allTokens.revokePage.typed(total))}
${actions(submit({ label: words.allTokens.revokePage.manyDoes, isDanger: true }), CANCEL)}`,
    ),
  }
}

const refusals = (refused: RevokeSomePage['preview']['first_refused']): Html =>
  html`<h2>${words.allTokens.revokePage.refused}</h2><ul>${refused.map(
    ({ subject, message }) =>
      html`<li><code>${visibleText(subject, 64)}</code> ${visibleText(message, 300)}</li>`,
  )}</ul>`

export const nothingChosenPage = (): ConsoleContent => ({
  title: words.allTokens.revokePage.nothing,
  section: 'all-tokens',
  isNarrow: true,
  trail: TRAIL,
  body: html`<div class="card"><p class="notice warn" role="status">${words.allTokens.revokePage.nothingWhat}</p><p><a href="${PATH}">${words.allTokens.revokePage.back}</a></p></div>`,
})
