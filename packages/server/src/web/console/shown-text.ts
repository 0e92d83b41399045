/** A text to copy: selectable without a script, copied by a button with one. */
import { type Html, html } from '../html.ts'
import { words } from '../words/en.ts'

interface ShownText {
  /** Of the page: letters. */
  readonly id: string
  /** What a screen reader calls it. */
  readonly label: string
  readonly value: string
}

export const shownText = ({ id, label, value }: ShownText): Html => html`
<p><button class="small" type="button" hidden data-copy="text-${id}" data-copied="${words.form.copied}">${words.form.copy}</button></p>
<pre id="text-${id}" tabindex="0" role="region" aria-label="${label}">${value}</pre>`
