/** What a rule matches, in the form that `ratafia publishers add` takes: a text for each claim. */
import type { Match, Matcher } from './matcher.ts'

/** `claim=text`, or `claim:=JSON` for what is not a text. */
export const formatMatch = (match: Match): readonly string[] =>
  Object.entries(match).map(([claim, matcher]) => `${claim}${formatMatcher(matcher)}`)

const formatMatcher = (matcher: Matcher): string =>
  typeof matcher === 'string' ? `=${matcher}` : `:=${JSON.stringify(matcher)}`
