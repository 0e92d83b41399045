// Parses patterns like Python's `fnmatchcase`: `*`, `?`, `[seq]`, `[!seq]`; everything else means itself.

/** Ranges of code points, including both ends, sorted and with gaps between them. */
type Ranges = readonly (readonly [from: number, to: number])[]

/**
 * One step of a pattern. `once` accepts one character of the set, `any` (a star) any number of characters. `elastic`
 * also accepts one character, but is next to a star, which accepts any further ones, so extra characters don't matter.
 */
export interface Token {
  readonly ranges: Ranges
  readonly takes: 'once' | 'any' | 'elastic'
}

const LAST = 0x10ffff
const ALL: Ranges = [[0, LAST]]
const ANY: Token = { ranges: ALL, takes: 'once' }
const STAR: Token = { ranges: ALL, takes: 'any' }
const ELASTIC: Token = { ranges: ALL, takes: 'elastic' }

/**
 * Parses a pattern into tokens. The order in a run of stars and question marks doesn't matter, so it becomes elastic
 * tokens and one star. Never throws, because an unclosed `[` is an ordinary character.
 */
export function parsePattern(pattern: string): readonly Token[] {
  const tokens: Token[] = []
  let run: Token[] = []
  for (const token of readTokens(Array.from(pattern, codePoint))) {
    if (token === STAR || token === ANY) {
      run.push(token)
    } else {
      tokens.push(...inOrder(run), token)
      run = []
    }
  }
  tokens.push(...inOrder(run))
  return tokens
}

function inOrder(run: readonly Token[]): readonly Token[] {
  if (!run.includes(STAR)) return run
  return [...run.filter((token) => token === ANY).map(() => ELASTIC), STAR]
}

function readTokens(characters: readonly number[]): Token[] {
  const tokens: Token[] = []
  for (let i = 0; i < characters.length; ) {
    const c = characters[i] as number
    const end = c === OPEN ? closing(characters, i) : -1
    if (end > 0) {
      tokens.push({ ranges: setRanges(characters.slice(i + 1, end)), takes: 'once' })
      i = end + 1
    } else {
      tokens.push(c === ASTERISK ? STAR : c === QUESTION ? ANY : literal(c))
      i++
    }
  }
  return tokens
}

/** Returns a string as tokens, one for each character. */
export function literalTokens(text: string): readonly Token[] {
  return Array.from(text, (c) => literal(codePoint(c)))
}

function literal(point: number): Token {
  return { ranges: [[point, point]], takes: 'once' }
}

function codePoint(character: string): number {
  return character.codePointAt(0) as number
}

const [ASTERISK, QUESTION, OPEN, CLOSE, EXCLAMATION, HYPHEN] = Array.from('*?[]!-', (c) =>
  c.charCodeAt(0),
) as [number, number, number, number, number, number]

/**
 * Returns the position of the `]` that closes the set at `open`, or -1. A `]` at the start of the set belongs to it.
 */
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
    // A range in descending order is empty.
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

/** Whether every character of `narrow` is in `wide`. Both are merged, so each range must be within a single one. */
export function isSubset(narrow: Ranges, wide: Ranges): boolean {
  return narrow.every(([from, to]) => wide.some(([low, high]) => low <= from && to <= high))
}
