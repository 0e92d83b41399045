/** The activity over time: a plot of each counter, and the refusals by error code. */
import type { CountersSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { stateChip } from '../chip.ts'
import { plot, type Series } from '../plot.ts'
import { table } from '../table.ts'

export type Counters = Static<typeof CountersSchema>
type Counter = Counters['counters'][number]

const text = words.overview

/** For each plot, its series: the labels that a series adds up, or all labels that no other series has. */
const SERIES: Readonly<Record<keyof typeof text.plots, readonly Part[]>> = {
  registrations: [
    { name: text.series.serial, labels: ['serial'] },
    { name: text.series.waits, labels: ['waits'] },
    { name: text.series.refused, labels: 'others' },
  ],
  'device-sessions': [
    { name: text.series.opened, labels: ['opened'] },
    { name: text.series.refreshed, labels: 'others' },
  ],
  'store-questions': [
    { name: text.series.valid, labels: ['session-valid', 'token-valid'] },
    { name: text.series.refused, labels: 'others' },
  ],
  'token-uses': [
    { name: text.series.developer, labels: ['developer'] },
    { name: text.series.management, labels: 'others' },
  ],
  logins: [
    { name: text.series.person, labels: ['opened'] },
    { name: text.series.job, labels: ['job'] },
    { name: text.series.refused, labels: 'others' },
  ],
}

interface Part {
  readonly name: string
  readonly labels: readonly string[] | 'others'
}

const isPlotted = (name: string): name is keyof typeof SERIES => Object.hasOwn(SERIES, name)

export const countedPlots = ({ counters, unit }: Counters): Html[] =>
  counters.flatMap(({ name, buckets }) => {
    if (!isPlotted(name)) return []
    const series = SERIES[name].map((part) => seriesOf(part, SERIES[name], buckets))
    const label = text.plots[name](unit)
    const total = series.reduce((sum, { values }) => sum + values.reduce((a, b) => a + b, 0), 0)
    return [
      html`<section class="card"><div class="head"><h2>${label}</h2><span class="push big">${words.number(total)}</span></div>
${plot({ label, unit, starts: buckets.map(({ at }) => new Date(at)), series })}</section>`,
    ]
  })

function seriesOf({ name, labels }: Part, parts: readonly Part[], buckets: Counter['buckets']): Series {
  const taken = new Set(parts.flatMap((part) => (part.labels === 'others' ? [] : part.labels)))
  const isOf = (label: string) => (labels === 'others' ? !taken.has(label) : labels.includes(label))
  return {
    name,
    values: buckets.map(({ counts }) =>
      Object.entries(counts).reduce((sum, [label, count]) => sum + (isOf(label) ? count : 0), 0),
    ),
  }
}

/** The number of codes that are shown; the API returns all. */
const MOST_CODES = 20

export function refusals({ counters, period }: Counters): Html | undefined {
  const counter = counters.find(({ name }) => name === 'refusals')
  if (!counter) return undefined
  const { previous } = counter
  const codes = new Set([...counter.labels, ...Object.keys(previous ?? {})])
  const rows = [...codes]
    .map((code) => ({
      code,
      now: counter.buckets.reduce((sum, { counts }) => sum + (counts[code] ?? 0), 0),
      before: previous ? (previous[code] ?? 0) : undefined,
    }))
    .sort((a, b) => b.now - a.now || (a.code < b.code ? -1 : 1))
  const title = text.refusals(text.periods[period])
  return html`<section class="card"><h2>${title}</h2>${
    rows.length === 0
      ? html`<p class="quiet">${text.noRefusals}</p>`
      : table<(typeof rows)[number]>({
          label: title,
          rows: rows.slice(0, MOST_CODES),
          columns: [
            {
              label: text.columns.code,
              cell: ({ code }) => html`<span class="mono">${visibleText(code, 64)}</span>`,
            },
            { label: text.columns.number, isNumber: true, cell: ({ now }) => words.number(now) },
            { label: text.columns.change, cell: changeOf },
          ],
        })
  }</section>`
}

/** A change by a fifth is normal; a doubled count needs attention. */
function changeOf({ now, before }: { readonly now: number; readonly before: number | undefined }): Html {
  const { change } = text
  if (before === undefined) return html`<span class="quiet">${change.unknown}</span>`
  if (before === 0) return stateChip('warn', change.fresh)
  const factor = now / before
  if (factor >= 2) return stateChip('bad', change.times(factor))
  return html`<span class="quiet">${Math.abs(factor - 1) <= 0.2 ? change.same : change.by(factor - 1)}</span>`
}
