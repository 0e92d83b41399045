/** The pages that revoke tokens of other users: one token, or several by a job. */
import type { JobPreviewSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { hidden } from '../../form-fields.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, type FormState, postForm, submit, typedField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import type { Session } from '../records.ts'
import { nameOf } from '../tokens/list-page.ts'

const text = words.allTokens.revokePage
const PATH = '/console/all-tokens'
const TRAIL = [[PATH, words.allTokens.title]] as const
const CANCEL = html`<a href="${PATH}">${words.form.cancel}</a>`

export interface RevokeAnyPage {
  readonly form: FormState
  readonly token: Session
  /** The version of the token, so that the user revokes exactly the token on the page. */
  readonly etag: string
}

export const revokeAnyPage = ({ form, token, etag }: RevokeAnyPage): ConsoleContent => ({
  title: text.title,
  section: 'all-tokens',
  isNarrow: true,
  trail: [...TRAIL, [`${PATH}/${token.session_id}`, nameOf(token)]],
  body:
    token.revoked_at === null
      ? postForm(
          form,
          { action: `${PATH}/${token.session_id}/revoke`, class: 'card' },
          html`${hidden({ seen: etag })}<p>${text.what(nameOf(token), token.username)}</p>
${typedField(form, token.username)}
${actions(submit({ label: text.does, isDanger: true }), CANCEL)}`,
        )
      : html`<div class="card"><p class="notice warn" role="status">${text.already}</p><p><a href="${PATH}">${text.back}</a></p></div>`,
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
    title: text.manyTitle(total),
    section: 'all-tokens',
    isNarrow: true,
    trail: TRAIL,
    body: postForm(
      form,
      { action: `${PATH}/revoke`, class: 'card' },
      html`<p><strong>${text.nothingYet}</strong> ${text.would(preview)} ${text.manyWhat}</p>
<h2>${text.first(total, first.length)}</h2>
<ul>${first.map((token) => html`<li>${nameOf(token)} <span class="quiet">${token.username}</span></li>`)}</ul>
${refused.length > 0 && refusals(refused)}
${ids.map((session) => hidden({ session }))}
${typedField(form, text.typed(total))}
${actions(submit({ label: text.manyDoes, isDanger: true }), CANCEL)}`,
    ),
  }
}

const refusals = (refused: RevokeSomePage['preview']['first_refused']): Html =>
  html`<h2>${text.refused}</h2><ul>${refused.map(
    ({ subject, message }) =>
      html`<li><code>${visibleText(subject, 64)}</code> ${visibleText(message, 300)}</li>`,
  )}</ul>`

export const nothingChosenPage = (): ConsoleContent => ({
  title: text.nothing,
  section: 'all-tokens',
  isNarrow: true,
  trail: TRAIL,
  body: html`<div class="card"><p class="notice warn" role="status">${text.nothingWhat}</p><p><a href="${PATH}">${text.back}</a></p></div>`,
})
