/** Small labels. A state has a word and a shape, never only a colour (contract/administration.md, C12). */
import { visibleText } from '../../text/visible-text.ts'
import { type Html, html } from '../html.ts'

export type Tone = 'good' | 'warn' | 'bad' | 'off'

const SHAPES: Readonly<Record<Tone, string>> = { good: '●', warn: '◌', bad: '▲', off: '✕' }
const CLASSES: Readonly<Record<Tone, string>> = {
  good: 'chip state is-good',
  warn: 'chip state is-warn',
  bad: 'chip state is-bad',
  off: 'chip state is-off',
}

/** `word` comes from the catalogue of words. */
export const stateChip = (tone: Tone, word: string | Html): Html =>
  html`<span class="${CLASSES[tone]}"><span aria-hidden="true">${SHAPES[tone]}</span> ${word}</span>`

/** A name that another user may have chosen. */
export const chip = (text: string): Html => html`<span class="chip">${visibleText(text, 64)}</span>`

/** Shows at most `most` strings, and the number of the others. */
export function chips(texts: readonly string[], most = 6): Html {
  const more = texts.length - most
  return html`${texts.slice(0, most).map(chip)}${more > 0 && html`<span class="quiet">+${more}</span>`}`
}
