/** Checks the value of a claim against the matcher of a rule (contract/oidc.md, A7). */
import { isScalar } from '../../id-token/claims.ts'
import type { Matcher, Single } from '../matcher.ts'
import { globMatches } from './glob.ts'

/** Also compares types. Nothing matches a value that is absent, null, a list or an object. */
export function holds(matcher: Matcher, value: unknown): boolean {
  if (!isScalar(value)) return false
  return alternatives(matcher).some((single) => holdsAlone(single, value))
}

/** Matches if one of these matches. */
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
