/** Tables of text that fit where they are shown. */
import { eastAsianWidth } from 'get-east-asian-width'

/** How many cells of a terminal the text takes. */
export function widthOf(text: string): number {
  // Nearly every cell: an id, a name, a time. Cutting it into segments would take a hundred times as long.
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of segmentsOf(text)) {
    // What is put together from several marks takes as much as its first.
    width += /\p{Emoji_Presentation}|\ufe0f/u.test(segment) ? 2 : eastAsianWidth(segment.codePointAt(0) ?? 0)
  }
  return width
}

/** ASCII without controls: a cell for each character. */
const PLAIN = /^[ -~]*$/

let segmenter: Intl.Segmenter | undefined

/** Made when it is needed: that takes 25 ms, which most commands do not have to spend. */
function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

/** Columns are not cut below this. */
const NARROW = 8
const BETWEEN = 2

export interface FittedTable {
  readonly lines: readonly string[]
  /** Of the columns. */
  readonly widths: readonly number[]
  /** Whether a value was cut to fit. */
  readonly cut: boolean
}

interface FitOptions {
  /** Of the place where it is shown. */
  readonly width?: number | undefined
  /** The widths of what was shown above it. */
  readonly atLeast?: readonly number[]
}

/**
 * Pads every cell to its column. With `width` the widest columns are cut until a line fits; the first column, which
 * names the thing for other commands, is cut last of all: never.
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
    // To the next widest, or as far as is needed.
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
