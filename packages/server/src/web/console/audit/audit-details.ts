/** The details of an entry of the audit log: names and values, whatever they are. */
import { type Html, html } from '../../html.ts'
import { visibleText } from '../../visible-text.ts'
import { words } from '../../words/en.ts'

export type Details = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Details =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** In one line, for a list; the page of the entry has what is cut off. */
export const detailsLine = (details: Details, limit: number): string =>
  visibleText(
    Object.entries(details)
      .map(([name, value]) => `${name}: ${textOf(value)}`)
      .join(' · '),
    limit,
  )

/** Values are one level deep: what is deeper is JSON. */
export function detailsList(details: Details): Html {
  const entries = Object.entries(details)
  if (entries.length === 0) return html`<p class="quiet">${words.audit.noDetails}</p>`
  return html`<dl>${entries.map(
    ([name, value]) => html`<dt>${visibleText(name, 64)}</dt><dd>${shown(value)}</dd>`,
  )}</dl>`
}

/** The longest text of an entry that is shown. An export has all of it. */
const MOST = 4000

const shown = (value: unknown): Html =>
  isRecord(value) || Array.isArray(value)
    ? html`<pre>${visibleLines(JSON.stringify(value, undefined, 1))}</pre>`
    : html`${visibleText(textOf(value), MOST)}`

/** Only our own line breaks are left: JSON has those of a text escaped. */
const visibleLines = (json: string): string =>
  json
    .slice(0, MOST)
    .split('\n')
    .map((line) => /^ */.exec(line)?.[0] + visibleText(line.trimStart(), MOST))
    .join('\n')

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return JSON.stringify(value) ?? ''
}
