/** The details of an entry of the audit log: names and values, whatever they are. */

import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'

export type Details = Readonly<Record<string, unknown>>

/** In one line, for a list; the page of the entry has what is cut off. */
export const detailsLine = (details: Details, limit: number): string =>
  visibleText(
    Object.entries(details)
      .map(([name, value]) => `${name}: ${textOf(value)}`)
      .join(' · '),
    limit,
  )

/** The longest value that is shown. An export has all of it. */
const MOST = 4_000

export function detailsList(details: Details): Html {
  const entries = Object.entries(details)
  if (entries.length === 0) return html`<p class="quiet">${words.audit.noDetails}</p>`
  return html`<dl>${entries.map(
    ([name, value]) => html`<dt>${visibleText(name, 64)}</dt><dd>${visibleText(textOf(value), MOST)}</dd>`,
  )}</dl>`
}

/** A text as it is, several in a row, and everything else as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ')
  return JSON.stringify(value) ?? ''
}
