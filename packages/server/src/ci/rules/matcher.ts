/** The matchers of a rule (contract/oidc.md, A7). */
import type { Scalar } from '../id-token/id-token.ts'

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
