/** The page that explains what a pasted token can do, or why it is refused. */
import type { Explanation } from '@ratafia/api/schemas'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { stateChip } from '../chip.ts'
import { actions, type FormState, postForm, secretArea, submit } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { limitList } from '../limits.ts'
import { instant, relative } from '../time.ts'

const text = words.tokens.explainPage

export interface ExplainPage {
  readonly form: FormState
  /** The explanation of the pasted token. */
  readonly explanation: Explanation | undefined
  readonly now: Date
}

export const explainPage = ({ form, explanation, now }: ExplainPage): ConsoleContent => ({
  title: text.title,
  section: 'tokens',
  isNarrow: true,
  trail: [['/console/tokens', words.tokens.title]],
  body: html`${explanation && answer(explanation, now)}
${postForm(
  form,
  { action: '/console/tokens/explain', class: 'card' },
  html`<p>${text.what}</p>
${secretArea(form, { name: 'token', label: text.token, rows: 5, maxlength: 61_440 })}
${actions(submit({ label: text.does }))}`,
)}`,
})

function answer(explanation: Explanation, now: Date): Html {
  const { kind, accepted, refusal, username, session_id, expires, limits, may } = explanation
  return html`<section class="card" role="status">
<h2>${accepted ? stateChip('good', text.isAccepted) : stateChip('off', text.isRefused)}</h2>
${refusal && html`<p class="notice bad">${visibleText(refusal.message, 500)}</p>`}
<dl><dt>${text.kind}</dt><dd>${kind === null ? text.unknown : text.kinds[kind]}</dd>
${username !== null && html`<dt>${text.whose}</dt><dd>${visibleText(username, 64)}</dd>`}
${expires !== null && html`<dt>${text.ends}</dt><dd>${instant(expires)} (${relative(expires, now)})</dd>`}
${session_id !== null && html`<dt>${text.session}</dt><dd><code>${session_id}</code></dd>`}</dl>
${limits && limitList(limits)}
${
  may &&
  html`<h3>${text.permissions}</h3><ul>${may.map(
    ({ permission, brands }) =>
      html`<li><code>${permission}</code> ${brands !== null && text.forBrands(brands.map((brand) => visibleText(brand, 64)).join(', '))}</li>`,
  )}</ul>`
}</section>`
}
