/** Draws the chart of `docs/performance.md`: each figure as a multiple of its target, on a logarithmic scale. */
import { type Figure, isMet } from './figure.ts'

export interface Bar {
  readonly label: string
  readonly figure: Figure
  /** The same figure at an earlier commit. */
  readonly before?: Figure | undefined
}

const WIDTH = 1_040
const LEFT = 480
const RIGHT = 70
const ROW = 18
/** The greatest width of a bar's number. */
const NUMBER = 34
const TOP = 64
/** The ends of the scale, as multiples of the target. */
const [LEAST, MOST] = [0.1, 30]
const TICKS = [0.1, 0.3, 1, 3, 10, 30]

/** Returns a figure as a multiple of its target, so that less is better. */
export const timesMark = ({ value, mark }: Figure): number =>
  !mark ? Number.NaN : mark.is === 'at most' ? value / mark.limit : mark.limit / value

/** Draws the figures that have a target. */
export function chart(bars: readonly Bar[], title: string): string {
  const shown = bars.filter(({ figure }) => figure.mark)
  const height = TOP + shown.length * ROW + 16
  const ticks = TICKS.map(
    (tick) =>
      `<line class="${tick === 1 ? 'mark' : 'grid'}" x1="${xOf(tick)}" x2="${xOf(tick)}" y1="${TOP - 6}" y2="${height - 12}"/><text class="quiet" x="${xOf(tick)}" y="${TOP - 12}" text-anchor="middle">${tick === 1 ? 'target' : tick}</text>`,
  )
  const rows = shown.map((bar, at) => rowOf(bar, TOP + at * ROW))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui,sans-serif" font-size="12">
<title>${escaped(title)}</title>
<style>
text { fill: #1f2328 } .quiet { fill: #59636e } .grid { stroke: #d1d9e0 } .mark { stroke: #1f2328; stroke-width: 1.5 }
.met { fill: #1a7f5a } .missed { fill: #c8641b } .then { fill: #fff; stroke: #59636e; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .quiet { fill: #9198a1 } .grid { stroke: #3d444d } .mark { stroke: #f0f6fc }
.met { fill: #3fb68b } .missed { fill: #e8914f } .then { fill: #0d1117; stroke: #9198a1 } }
</style>
<text x="${LEFT}" y="18" font-size="14" font-weight="600">${escaped(title)}</text>
<text class="quiet" x="${LEFT}" y="35">times the target: less is better, and left of the line meets it${shown.some(({ before }) => before) ? '; a ring shows the value before' : ''}</text>
${ticks.join('\n')}
${rows.join('\n')}
</svg>
`
}

/** Draws the label, the bar with its number, and a ring at the earlier value. */
function rowOf({ label, figure, before }: Bar, y: number): string {
  const times = timesMark(figure)
  const [from, to] = times < 1 ? [xOf(times), xOf(1)] : [xOf(1), xOf(times)]
  const width = Math.max(to - from, 2).toFixed(1)
  const number = times < 0.095 ? times.toFixed(2) : times < 9.95 ? times.toFixed(1) : times.toFixed(0)
  const then = before && xOf(timesMark(before))
  // If the ring would cover the number, the number moves behind it.
  const hidden = then !== undefined && then > to - 4 && then < to + NUMBER
  return [
    `<text x="${LEFT - 10}" y="${y + 12}" text-anchor="end">${escaped(label)}</text>`,
    `<rect class="${isMet(figure) ? 'met' : 'missed'}" x="${from}" y="${y + 2}" width="${width}" height="${ROW - 5}" rx="2"/>`,
    `<text class="quiet" x="${(hidden ? then + 2 : to) + 6}" y="${y + 12}">${number}</text>`,
    before
      ? `<circle class="then" cx="${then}" cy="${y + 8.5}" r="3.5"><title>before: ${timesMark(before).toFixed(2)}</title></circle>`
      : '',
  ].join('')
}

function xOf(times: number): number {
  const inside = Math.min(Math.max(times, LEAST), MOST)
  const share = Math.log(inside / LEAST) / Math.log(MOST / LEAST)
  return Number((LEFT + share * (WIDTH - LEFT - RIGHT)).toFixed(1))
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
