/** The page that shortens the expiry of the user's own token, while another one replaces it. */
import { html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, type FormState, postForm, selectField, submit } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import type { Session } from '../records.ts'
import { instant } from '../time.ts'
import { nameOf } from './list-page.ts'

const text = words.tokens.shortenPage
const DAY_MS = 86_400_000
/** The times to expiry in days that the operation accepts. */
const ENDS = ['1', '7', '30'] as const

/**
 * Returns the times that are before the token's own expiry. There are none if it expires within a day, or has expired.
 */
export const earlierEnds = (token: Session, now: Date): readonly (typeof ENDS)[number][] =>
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
    title: text.title,
    section: 'tokens',
    isNarrow: true,
    trail: [
      ['/console/tokens', words.tokens.title],
      [address, nameOf(token)],
    ],
    body:
      ends.length === 0
        ? html`<div class="card"><p>${text.noEarlier(nameOf(token))}</p><div class="actions">${cancel}</div></div>`
        : postForm(
            form,
            { action: `${address}/shorten`, class: 'card' },
            html`<p>${text.what(nameOf(token), instant(token.valid_until))}</p>
${selectField(form, {
  name: 'ends',
  label: text.ends,
  choices: ends.map((value) => ({ value, label: words.tokens.newPage.overlaps[value] })),
})}
${actions(submit({ label: text.does }), cancel)}`,
          ),
  }
}
