import { ConditionError } from './errors.ts'
import { isSubset, literalTokens, parsePattern, type Token } from './pattern.ts'

/**
 * Steps that comparing patterns may take. Real lists need some ten thousand; patterns that are nothing but
 * stars, made to be slow, end here with {@link ConditionError} `limit-exceeded` after some milliseconds. A request with
 * several slices gives all of them one budget, so that it cannot multiply these milliseconds.
 */
export class PatternBudget {
  #left: number
  /** A holder may repeat a list in many conditions: each pattern is parsed once. */
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
  /** The characters before the first wildcard: all that it matches begins with them. */
  readonly start: string
  /** It has no wildcard and matches `start` only. */
  readonly isLiteral: boolean
}

/** The code point of a token that takes this one character and nothing else. */
function onlyCharacter({ ranges, takes }: Token): number | undefined {
  const [range, ...more] = ranges
  const isOne = takes === 'once' && more.length === 0 && range !== undefined && range[0] === range[1]
  return isOne ? range[0] : undefined
}

/** Whether a channel matches a pattern, as Python's `fnmatchcase` decides. */
export function matchesPattern(pattern: string, text: string, budget = new PatternBudget()): boolean {
  return absorbs(parsePattern(pattern), literalTokens(text), budget)
}

/**
 * Whether everything that matches `narrow` certainly matches `wide` too. When it says yes it is so; it may say no for
 * patterns where only a long argument would show it (`a[ab]b` in `*ab*`), which makes a token narrower, never wider.
 */
export function includesPattern(wide: string, narrow: string, budget = new PatternBudget()): boolean {
  return wide === narrow || absorbs(parsePattern(wide), parsePattern(narrow), budget)
}

/**
 * Reads the tokens of `narrow` as if they were characters: a set must be within the set that takes it, and a star is
 * taken by a star or by its neighbour. `live`: the positions in `wide` reached so far by any way of reading.
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

/** Each position once, and after a star also the one behind it, for a star may take nothing. Stays sorted. */
function skipStars(wide: readonly Token[], positions: readonly number[]): number[] {
  const all: number[] = []
  // A position may come twice, and even behind the one that its star led to.
  const add = (position: number) => {
    if (position > (all.at(-1) ?? -1)) all.push(position)
  }
  for (const position of positions) {
    add(position)
    if (wide[position]?.takes === 'any') add(position + 1)
  }
  return all
}
