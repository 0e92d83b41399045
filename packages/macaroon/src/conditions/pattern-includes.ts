import { ConditionError } from './errors.ts'
import { isSubset, literalTokens, parsePattern, type Token } from './pattern.ts'

/**
 * The number of steps for comparing patterns. Real lists need some ten thousand. Hostile patterns that consist of
 * stars run out of steps after some milliseconds, with {@link ConditionError} `limit-exceeded`. All slices of a
 * request share a budget, so that a request can't multiply these milliseconds.
 */
export class PatternBudget {
  #left: number
  /** The patterns parsed so far, because a holder can repeat a list in many conditions. */
  readonly #parsed = new Map<string, ParsedPattern>()

  constructor(steps = 500_000) {
    this.#left = steps
  }

  parse(pattern: string): ParsedPattern {
    const known = this.#parsed.get(pattern)
    if (known !== undefined) return known
    this.spend(pattern.length)
    const tokens = parsePattern(pattern)
    const wildcard = tokens.findIndex((token) => onlyCharacter(token) === undefined)
    const literal = tokens.slice(0, wildcard < 0 ? undefined : wildcard)
    const start = String.fromCodePoint(...literal.flatMap((token) => onlyCharacter(token) ?? []))
    const parsed = { text: pattern, tokens, start, isLiteral: wildcard < 0 }
    this.#parsed.set(pattern, parsed)
    return parsed
  }

  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0)
      throw new ConditionError('limit-exceeded', 'The channel patterns are too complicated to compare')
  }
}

export interface ParsedPattern {
  readonly text: string
  readonly tokens: readonly Token[]
  /** The characters before the first wildcard. Every match begins with them. */
  readonly start: string
  /** Whether it has no wildcard, and so matches only `start`. */
  readonly isLiteral: boolean
}

/** Returns a token's code point if it accepts exactly one character. */
function onlyCharacter({ ranges, takes }: Token): number | undefined {
  const [range, ...more] = ranges
  const isOne = takes === 'once' && more.length === 0 && range !== undefined && range[0] === range[1]
  return isOne ? range[0] : undefined
}

/** Whether a channel matches a pattern, as in Python's `fnmatchcase`. */
export function matchesPattern(pattern: string, text: string, budget = new PatternBudget()): boolean {
  return absorbs(parsePattern(pattern), literalTokens(text), budget)
}

/**
 * Whether every match of `narrow` certainly matches `wide`. True is always right. False may be wrong for patterns where
 * the proof would be long (`a[ab]b` in `*ab*`), which can narrow a token but never widen it.
 */
export function includesPattern(wide: string, narrow: string, budget = new PatternBudget()): boolean {
  return wide === narrow || absorbs(parsePattern(wide), parsePattern(narrow), budget)
}

/**
 * Whether `wide` accepts the tokens of `narrow`, read as if they were characters. A set must be within the set that
 * accepts it; a star or its neighbour accepts a star. `live` has the positions in `wide` that are reachable so far.
 */
export function absorbs(wide: readonly Token[], narrow: readonly Token[], budget: PatternBudget): boolean {
  let live = skipStars(wide, [0])
  for (const token of narrow) {
    budget.spend(live.length + 1)
    const next: number[] = []
    for (const position of live) {
      const taker = wide[position]
      if (taker === undefined) continue
      const stays = taker.takes === 'any' || (token.takes === 'any' && taker.takes === 'elastic')
      if (stays) next.push(position)
      else if (token.takes !== 'any' && isSubset(token.ranges, taker.ranges)) next.push(position + 1)
    }
    if (next.length === 0) return false
    live = skipStars(wide, next)
  }
  return live.includes(wide.length)
}

/** Returns the sorted positions without duplicates, and also those after a star, because a star can match nothing. */
function skipStars(wide: readonly Token[], positions: readonly number[]): number[] {
  const all: number[] = []
  // A position can be repeated, even after the one that its star led to.
  const add = (position: number) => {
    if (position > (all.at(-1) ?? -1)) all.push(position)
  }
  for (const position of positions) {
    add(position)
    if (wide[position]?.takes === 'any') add(position + 1)
  }
  return all
}
