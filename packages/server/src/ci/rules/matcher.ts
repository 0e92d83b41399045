/** What a rule demands of a claim (contract/oidc.md, A7). */
import type { Scalar } from '../id-token/id-token.ts'

export type { Scalar }

/** What can stand alone or in `any_of`. */
export type Single = Scalar | Fold | Glob
export type Matcher = Single | AnyOf

interface AnyOf {
  readonly any_of: readonly Single[]
}
/** Equal without the case of ASCII letters. */
interface Fold {
  readonly fold: string
}
/** The whole value; `*` and `?` never stand for a slash. */
interface Glob {
  readonly glob: string
}

/** By the claim: its name, or with a slash at the beginning a JSON Pointer (RFC 6901). All must hold. */
export type Match = Readonly<Record<string, Matcher>>

/** `claim=text`, or `claim:=JSON` for what is not a text. */
export const formatMatch = (match: Match): readonly string[] =>
  Object.entries(match).map(([claim, matcher]) => `${claim}${formatMatcher(matcher)}`)

const formatMatcher = (matcher: Matcher): string =>
  typeof matcher === 'string' ? `=${matcher}` : `:=${JSON.stringify(matcher)}`
