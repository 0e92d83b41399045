/**
 * Matches the patterns of rules (contract/oidc.md, A7). Patterns are never turned into regular expressions. A match
 * takes at most as many steps as the product of the lengths of pattern and value, and both are bounded.
 */

/** Limits in characters. A longer value does not match any pattern. */
export const GLOB_LIMITS = { pattern: 256, value: 1024, literal: 8 } as const

/** Matches the whole value. `*` is any number of characters and `?` is one (a UTF-16 unit), but never a slash. */
export function globMatches(pattern: string, value: string): boolean {
  if (value.length > GLOB_LIMITS.value) return false
  let p = 0
  let v = 0
  // The position after the last `*`, and where the value continues if that `*` consumes one more character. An earlier
  // `*` never has to consume more, because the text after it was found as early as possible.
  let afterStar = -1
  let resume = 0
  while (v < value.length) {
    const wanted = pattern[p]
    const found = value[v]
    if (wanted === '*') {
      p += 1
      afterStar = p
      resume = v
    } else if (wanted === found || (wanted === '?' && found !== '/')) {
      p += 1
      v += 1
    } else if (afterStar >= 0 && value[resume] !== '/') {
      resume += 1
      p = afterStar
      v = resume
    } else {
      return false
    }
  }
  while (pattern[p] === '*') p += 1
  return p === pattern.length
}

/** Returns why the pattern is not narrow enough, as the end of a sentence; undefined if it is narrow enough. */
export function globProblem(pattern: string): string | undefined {
  const { pattern: most, literal: least } = GLOB_LIMITS
  if (pattern.length > most) return `a pattern has at most ${most} characters`
  const wildcard = pattern.search(/[*?]/)
  if (wildcard === -1) return undefined
  const literal = pattern.slice(0, wildcard)
  if (!literal.includes(':') && literal.split('/').length < 3) {
    return 'a pattern begins with literal text up to the second slash, or to the first colon'
  }
  return literal.length < least
    ? `a pattern begins with at least ${least} characters of literal text`
    : undefined
}
