/**
 * Plots: stacked bars that the server draws as SVG, with an equivalent text and the same numbers as a table
 * (contract/administration.md, C11). The browser draws nothing itself, and a number is never in a style.
 */
import { scaleBand, scaleLinear } from 'd3-scale'
import { type Html, html } from '../html.ts'
import { words } from '../words/en.ts'

export interface Plot {
  /** Names what is counted. */
  readonly label: string
  readonly unit: 'hour' | 'day' | 'month'
  /** When each period begins, oldest first. */
  readonly starts: readonly Date[]
  /** The series, at most three, from the bottom of the bars upwards. */
  readonly series: readonly Series[]
}

export interface Series {
  readonly name: string
  /** A value for each period, not negative. */
  readonly values: readonly number[]
}

/** All lengths are in the units of the view box. */
export interface Drawing {
  /** The bars of each series; a period with a count of zero has no bar. */
  readonly bars: readonly (readonly Bar[])[]
  readonly ticks: readonly { readonly y: number; readonly value: number }[]
  readonly names: readonly { readonly x: number; readonly at: Date }[]
}

interface Bar {
  readonly period: number
  readonly x: number
  readonly width: number
  /** The y coordinate of the upper edge. */
  readonly top: number
  /** The y coordinate of the lower edge, which is the upper edge of the bar below it. */
  readonly bottom: number
}

export const BOX = { width: 420, height: 120, left: 44, top: 8, bottom: 102 } as const

/** The number of labels at the lower axis, at most. */
const NAMES = 4
const CLASSES = ['s1', 's2', 's3'] as const

export function plot(one: Plot): Html {
  const { series } = one
  if (series.length > CLASSES.length) throw new TypeError('A plot has at most three series')
  const total = sumOf(series.map(({ values }) => sumOf(values)))
  if (total === 0) return html`<p class="quiet">${words.plot.nothing}</p>`
  return html`${picture(one, total)}
<p class="quiet">${series.map(
    ({ name }, index) =>
      html`<svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true" class="k"><path class="${CLASSES[index]}" d="M0 0h10v10H0z"/></svg> ${name} &nbsp; `,
  )}</p>
${asTable(one)}`
}

/** Returns the sum of all series in each period. */
const sumsOf = ({ starts, series }: Pick<Plot, 'starts' | 'series'>): readonly number[] =>
  starts.map((_, period) => sumOf(series.map(({ values }) => values[period] ?? 0)))

export function drawingOf({ starts, series }: Pick<Plot, 'starts' | 'series'>): Drawing {
  const periods = starts.map((_, period) => period)
  // Bars are rounded inwards, so that they never leave the box.
  const across = scaleBand<number>()
    .domain(periods)
    .range([BOX.left, BOX.width - 0.1])
    .paddingInner(0.15)
  const most = Math.max(1, ...sumsOf({ starts, series }))
  const up = scaleLinear().domain([0, most]).nice(2).range([BOX.bottom, BOX.top])
  const width = Math.floor(across.bandwidth() * 10) / 10
  const ends = periods.map(() => 0)
  const bars = series.map(({ values }) =>
    periods.flatMap((period): Bar[] => {
      const value = values[period] ?? 0
      if (value === 0) return []
      const before = ends[period] ?? 0
      ends[period] = before + value
      const [bottom, top] = [nearest(up(before)), nearest(up(before + value))]
      return [{ period, x: inwards(across(period) ?? BOX.left), width, top, bottom }]
    }),
  )
  const step = Math.max(1, Math.ceil(starts.length / NAMES))
  return {
    bars,
    // All counts are integers.
    ticks: up
      .ticks(2)
      .filter(Number.isInteger)
      .map((value) => ({ value, y: nearest(up(value)) })),
    names: starts.flatMap((at, period) =>
      period % step === 0 ? [{ at, x: nearest((across(period) ?? 0) + across.bandwidth() / 2) }] : [],
    ),
  }
}

function picture(one: Plot, total: number): Html {
  const { bars, ticks, names } = drawingOf(one)
  return html`<svg viewBox="0 0 ${BOX.width} ${BOX.height}" role="img" aria-label="${summaryOf(one, total)}">
${ticks.map(
  ({ y, value }) =>
    html`<line class="grid" x1="${BOX.left}" x2="${BOX.width}" y1="${y}" y2="${y}"/><text x="${BOX.left - 5}" y="${y + 4}" text-anchor="end">${words.plot.tick(value)}</text>
`,
)}${bars.map(
  (some, index) =>
    some.length > 0 &&
    html`<path class="${CLASSES[index]}" d="${some.map(outline).join('')}"/>
`,
)}${names.map(
  ({ x, at }) =>
    html`<text x="${x}" y="116" text-anchor="middle">${words.plot.start(one.unit, at)}</text>
`,
)}</svg>`
}

const outline = ({ x, width, top, bottom }: Bar): string => `M${x} ${bottom}V${top}h${width}V${bottom}`

function summaryOf(one: Plot, total: number): string {
  const { label, unit, starts, series } = one
  const sums = sumsOf(one)
  const value = Math.max(...sums)
  const at = starts[sums.indexOf(value)] ?? new Date(0)
  return words.plot.summary({
    ...{ label, unit, periods: starts.length, total, peak: { at, value } },
    series: series.map(({ name, values }) => ({ name, total: sumOf(values) })),
  })
}

const asTable = ({
  label,
  unit,
  starts,
  series,
}: Plot): Html => html`<details><summary>${words.plot.asTable}</summary>
<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr><th scope="col">${words.plot.when(unit)}</th>${series.map(
  ({ name }) => html`<th scope="col" class="num">${name}</th>`,
)}</tr></thead><tbody>${starts.map(
  (at, period) => html`
<tr><th scope="row">${words.plot.start(unit, at)}</th>${series.map(
    ({ values }) => html`<td class="num">${words.number(values[period] ?? 0)}</td>`,
  )}</tr>`,
)}</tbody></table></div></details>`

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
const nearest = (value: number): number => Math.round(value * 10) / 10
const inwards = (value: number): number => Math.ceil(value * 10) / 10
