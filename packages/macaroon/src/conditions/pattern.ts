/** Patterns as Python's `fnmatchcase` reads them: `*`, `?`, `[seq]`, `[!seq]`; everything else stands for itself. */

/** Code points from and to, both included; sorted, apart from each other. */
type Ranges = readonly (readonly [from: number, to: number])[]

/** One character out of a set, or any run of characters. */
export type Token = { readonly star: false; readonly ranges: Ranges } | { readonly star: true }

const LAST = 0x10ffff
const ANY: Token = { star: false, ranges: [[0, LAST]] }
const STAR: Token = { star: true }

/** A pattern as tokens; runs of stars become one. Never fails: a `[` that is not closed stands for itself. */
export function parsePattern(pattern: string): readonly Token[] {
  const characters = Array.from(pattern, (c) => c.codePointAt(0) as number)
  const tokens: Token[] = []
  for (let i = 0; i < characters.length; ) {
    const c = characters[i] as number
    const end = c === OPEN ? closing(characters, i) : -1
    if (end > 0) {
      tokens.push({ star: false, ranges: setRanges(characters.slice(i + 1, end)) })
      i = end + 1
      continue
    }
    if (c !== ASTERISK) tokens.push(c === QUESTION ? ANY : { star: false, ranges: [[c, c]] })
    else if (tokens.at(-1) !== STAR) tokens.push(STAR)
    i++
  }
  return tokens
}

const [ASTERISK, QUESTION, OPEN, CLOSE, EXCLAMATION, HYPHEN] = Array.from('*?[]!-', (c) =>
  c.charCodeAt(0),
) as [number, number, number, number, number, number]

/** Where the set that begins at `open` is closed, or -1. A `]` that comes first in the set belongs to it. */
function closing(characters: readonly number[], open: number): number {
  let first = open + 1
  if (characters[first] === EXCLAMATION) first++
  return characters.indexOf(CLOSE, first + 1)
}

function setRanges(inside: readonly number[]): Ranges {
  const negated = inside[0] === EXCLAMATION
  const body = negated ? inside.slice(1) : inside
  const ranges: [number, number][] = []
  for (let i = 0; i < body.length; ) {
    const from = body[i] as number
    const isRange = body[i + 1] === HYPHEN && i + 2 < body.length
    const to = isRange ? (body[i + 2] as number) : from
    // A range the wrong way round holds nothing.
    if (from <= to) ranges.push([from, to])
    i += isRange ? 3 : 1
  }
  const merged = merge(ranges)
  return negated ? complement(merged) : merged
}

function merge(ranges: [number, number][]): Ranges {
  const merged: [number, number][] = []
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

function complement(ranges: Ranges): Ranges {
  const gaps: [number, number][] = []
  let next = 0
  for (const [from, to] of ranges) {
    if (from > next) gaps.push([next, from - 1])
    next = to + 1
  }
  if (next <= LAST) gaps.push([next, LAST])
  return gaps
}

/** Whether every character of `narrow` is in `wide`. Both are merged, so each range must lie within a single one. */
export function isSubset(narrow: Ranges, wide: Ranges): boolean {
  return narrow.every(([from, to]) => wide.some(([low, high]) => low <= from && to <= high))
}
