import { ConditionError } from './errors.ts'
import { isSubset, literalTokens, parsePattern, type Token } from './pattern.ts'

/**
 * Steps that comparing patterns may take. Real lists need a few thousand; patterns that are nothing but
 * stars, made to be slow, end here with {@link ConditionError} `limit-exceeded` after some milliseconds.
 */
export class PatternBudget {
  #left: number

  constructor(steps = 500_000) {
    this.#left = steps
  }

  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0)
      throw new ConditionError('limit-exceeded', 'The channel patterns are too complicated to compare')
  }
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
  for (const position of positions) {
    if (all.at(-1) !== position) all.push(position)
    if (wide[position]?.takes === 'any') all.push(position + 1)
  }
  return all
}
