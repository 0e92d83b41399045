/** Text tables that fit the width of the terminal. */
import { eastAsianWidth } from 'get-east-asian-width'

/** Returns the number of terminal cells that the text occupies. */
export function widthOf(text: string): number {
  // Nearly all values are plain: an id, a name, a time. Segmenting them would take a hundred times as long.
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of segmentsOf(text)) {
    // A segment of several code points is as wide as its first.
    width += /\p{Emoji_Presentation}|\ufe0f/u.test(segment) ? 2 : eastAsianWidth(segment.codePointAt(0) ?? 0)
  }
  return width
}

/** ASCII without controls: one cell per character. */
const PLAIN = /^[ -~]*$/

let segmenter: Intl.Segmenter | undefined

/** Creates the segmenter on first use: it costs 25 ms, and most commands do not need it. */
function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

/** The width below which no column is cut. */
const NARROW = 8
const BETWEEN = 2

export interface FittedTable {
  readonly lines: readonly string[]
  /** The columns' widths. */
  readonly widths: readonly number[]
  /** Whether a value was cut to fit. */
  readonly cut: boolean
}

interface FitOptions {
  /** The width of the terminal. */
  readonly width?: number | undefined
  /** The widths of the columns already shown above. */
  readonly atLeast?: readonly number[]
}

/**
 * Pads every cell to its column. With `width`, cuts the widest columns until a line fits, but never the first
 * column, whose values other commands accept as names.
 */
export function fitTable(
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY, atLeast = [] }: FitOptions = {},
): FittedTable {
  const widths = (rows[0] ?? []).map((_, index) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[index] ?? '')), atLeast[index] ?? 0),
  )
  const total = () => widths.reduce((sum, each) => sum + each + BETWEEN, -BETWEEN)
  let cut = false
  while (total() > width) {
    const widest = Math.max(...widths.slice(1))
    if (widest <= NARROW) break
    const at = widths.lastIndexOf(widest)
    // Cuts to the next widest column, or only as far as needed.
    const next = Math.max(NARROW, ...widths.slice(1).filter((each) => each < widest))
    widths[at] = Math.max(Math.min(next, widest - 1), widest - (total() - width))
    cut = true
  }
  const lines = rows.map((row) =>
    row
      .map((cell, index) => padded(cell, widths[index] ?? 0))
      .join(' '.repeat(BETWEEN))
      .trimEnd(),
  )
  return { lines, widths, cut }
}

function padded(text: string, width: number): string {
  const shown = widthOf(text) <= width ? text : `${start(text, width - 1)}…`
  return shown + ' '.repeat(Math.max(0, width - widthOf(shown)))
}

function start(text: string, width: number): string {
  let kept = ''
  let used = 0
  for (const { segment } of segmentsOf(text)) {
    used += widthOf(segment)
    if (used > width) break
    kept += segment
  }
  return kept
}
