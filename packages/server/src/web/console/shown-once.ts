/**
 * A secret on a page that shows it once. Users can select it without a script, and copy it by a button with one (C6).
 */
import { type Html, type HtmlValue, html } from '../html.ts'
import { words } from '../words/en.ts'

export interface ShownOnce {
  /** Unique on the page; only letters. */
  readonly id: string
  /** Names what uses the secret. */
  readonly title: string
  readonly value: string
  /** Explains below it where to put it. */
  readonly note?: HtmlValue
}

const LINE = 90

export const shownOnce = ({ id, title, value, note }: ShownOnce): Html => html`
<section class="card"><div class="head"><h2>${title}</h2><button class="small push" type="button" hidden data-copy="once-${id}" data-copied="${words.form.copied}">${words.form.copy}</button></div>
<textarea id="once-${id}" class="mono" rows="${rowsOf(value)}" readonly spellcheck="false" autocomplete="off" aria-label="${title}">
${value}</textarea>${note && html`<p class="quiet">${note}</p>`}</section>`

const rowsOf = (value: string): number =>
  Math.min(
    5,
    value.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / LINE)), 0),
  )

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
