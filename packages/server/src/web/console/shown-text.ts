/** Text to copy. Users can select it without a script, and copy it by a button with one. */
import { type Html, html } from '../html.ts'
import { words } from '../words/en.ts'

interface ShownText {
  /** Unique on the page; only letters. */
  readonly id: string
  /** Its name for screen readers. */
  readonly label: string
  readonly value: string
}

export const shownText = ({ id, label, value }: ShownText): Html => html`
<p><button class="small" type="button" hidden data-copy="text-${id}" data-copied="${words.form.copied}">${words.form.copy}</button></p>
<pre id="text-${id}" tabindex="0" role="region" aria-label="${label}">${value}</pre>`
