/**
 * Shows when each chain of a device's sessions was used. Two chains in use at the same time mean two devices with one
 * key (contract/administration.md, C8 and C11). The server draws the picture, with an equivalent text and table.
 */
import { scaleUtc } from 'd3-scale'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { table } from '../table.ts'
import { day, instant } from '../time.ts'

/** The part of a session that matters for its chain. */
export interface ChainedSession {
  readonly chain_id: string
  /** RFC 3339. */
  readonly opened_at: string
}

interface Chain {
  readonly name: string
  /** Times in milliseconds, oldest first. */
  readonly opened: readonly number[]
}

const text = words.devices.plot
const CLASSES = ['s1', 's2', 's3'] as const
/** The number of chains that are drawn: those that were used last. */
const MOST_CHAINS = 4
/** All lengths are in the units of the view box. */
const BOX = { width: 420, left: 76, right: 392, row: 30, square: 8, foot: 22 } as const
const HOUR_MS = 3_600_000
/** In a shorter span, the labels need a time as well as a day. */
const SHORT_MS = 48 * HOUR_MS

/** Returns undefined if there are no sessions. */
export function chainsPlot(sessions: readonly ChainedSession[]): Html | undefined {
  const chains = chainsOf(sessions)
  if (chains.length === 0) return undefined
  return html`${picture(chains)}
<details><summary>${text.asTable}</summary>${table({
    label: text.caption,
    caption: text.caption,
    rows: chains,
    columns: [
      { label: text.columns.chain, cell: ({ name }) => html`<span class="mono">${name}</span>` },
      { label: text.columns.sessions, isNumber: true, cell: ({ opened }) => words.number(opened.length) },
      { label: text.columns.first, cell: ({ opened }) => day(iso(opened[0])) },
      { label: text.columns.last, cell: ({ opened }) => instant(iso(opened.at(-1))) },
    ],
  })}</details>`
}

/** Returns at most {@link MOST_CHAINS} chains, oldest first. */
export function chainsOf(sessions: readonly ChainedSession[]): readonly Chain[] {
  const byChain = Map.groupBy(sessions, ({ chain_id }) => chain_id)
  return [...byChain]
    .map(([id, own]) => ({
      name: chainName(id),
      opened: own.map(({ opened_at }) => Date.parse(opened_at)).sort((one, other) => one - other),
    }))
    .sort((one, other) => (other.opened.at(-1) ?? 0) - (one.opened.at(-1) ?? 0))
    .slice(0, MOST_CHAINS)
    .sort((one, other) => (one.opened[0] ?? 0) - (other.opened[0] ?? 0))
}

/** Shortens the id of a chain to its beginning, which contains the time when the chain began. */
export const chainName = (id: string): string => visibleText(id, 64).slice(0, 13)

/** Returns the left edges of a chain's squares; squares that would overlap become one. */
export const squaresOf = (opened: readonly number[], xOf: (at: number) => number): readonly number[] => {
  const squares: number[] = []
  for (const at of opened) {
    const x = Math.round(xOf(at) - BOX.square / 2)
    const before = squares.at(-1)
    if (before === undefined || x - before >= BOX.square / 2) squares.push(x)
  }
  return squares
}

function picture(chains: readonly Chain[]): Html {
  const all = chains.flatMap(({ opened }) => opened)
  const [from, to] = [Math.min(...all), Math.max(...all)]
  const span = Math.max(to - from, HOUR_MS)
  const scale = scaleUtc()
    .domain([from, from + span])
    .range([BOX.left, BOX.right])
  const isShort = span < SHORT_MS
  const ticks = scale.ticks(4)
  // A label with day and time is twice as long as a label with a day.
  const every = Math.ceil(ticks.length / (isShort ? 3 : 6))
  const bottom = chains.length * BOX.row + 4
  const days = (at: number) => words.time.day(new Date(at))
  const summary = [
    text.label(chains.length, days(from), days(to)),
    ...chains.map(({ name, opened }) =>
      text.chain(name, opened.length, days(opened[0] ?? from), days(opened.at(-1) ?? to)),
    ),
  ].join(' ')
  return html`<svg viewBox="0 0 ${BOX.width} ${bottom + BOX.foot}" role="img" aria-label="${summary}">
${ticks.map((tick, index) => {
  const x = Math.round(scale(tick))
  const name =
    index % every === 0 &&
    html`<text x="${x}" y="${bottom + 15}" text-anchor="middle">${text.tick(tick, isShort)}</text>`
  return html`<line class="grid" x1="${x}" x2="${x}" y1="0" y2="${bottom}"/>${name}`
})}
${chains.map(({ name, opened }, index) => {
  const top = index * BOX.row + 11
  const path = squaresOf(opened, (at) => scale(at))
    .map((x) => `M${x} ${top}h${BOX.square}v${BOX.square}h-${BOX.square}z`)
    .join('')
  return html`<text x="0" y="${top + 8}">${name.slice(0, 8)}</text><path class="${CLASSES[index % CLASSES.length]}" d="${path}"/>`
})}
</svg>`
}

const iso = (at = 0): string => new Date(at).toISOString()
