/** The matchers of a rule, and whether the value of a claim satisfies one (contract/oidc.md, A7). */
import { isScalar } from '../id-token/claims.ts'
import type { Scalar } from '../id-token/id-token.ts'
import { globMatches } from './matchers/glob.ts'

export type { Scalar }

/** A matcher that can be used alone or in `any_of`. */
export type Single = Scalar | Fold | Glob
export type Matcher = Single | AnyOf

interface AnyOf {
  readonly any_of: readonly Single[]
}
/** Matches a value that is equal except for the case of ASCII letters. */
interface Fold {
  readonly fold: string
}
/** Matches the whole value; `*` and `?` never match a slash. */
interface Glob {
  readonly glob: string
}

/** Matchers by claim: its name or, with a leading slash, a JSON Pointer (RFC 6901). All must match. */
export type Match = Readonly<Record<string, Matcher>>

/** Writes `claim=text`, or `claim:=JSON` for a matcher that is not a string. */
export const formatMatch = (match: Match): readonly string[] =>
  Object.entries(match).map(([claim, matcher]) => `${claim}${formatMatcher(matcher)}`)

const formatMatcher = (matcher: Matcher): string =>
  typeof matcher === 'string' ? `=${matcher}` : `:=${JSON.stringify(matcher)}`

/** Whether a value satisfies the matcher, which also compares types. Nothing matches a value that is absent, null, a list or an object. */
export function holds(matcher: Matcher, value: unknown): boolean {
  if (!isScalar(value)) return false
  return alternatives(matcher).some((single) => holdsAlone(single, value))
}

/** Returns the matchers of which one must match. */
export const alternatives = (matcher: Matcher): readonly Single[] =>
  typeof matcher === 'object' && 'any_of' in matcher ? matcher.any_of : [matcher]

function holdsAlone(single: Single, value: unknown): boolean {
  if (typeof single !== 'object') return single === value
  if (typeof value !== 'string') return false
  if ('glob' in single) return globMatches(single.glob, value)
  return single.fold.length === value.length && withoutCase(single.fold) === withoutCase(value)
}

/** Folds only ASCII letters: `toLowerCase` would turn the Kelvin sign into a `k`. */
const withoutCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
