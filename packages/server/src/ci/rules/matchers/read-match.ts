/** Reads the match of a rule from JSON of an operator or the database (contract/oidc.md, A7). */
import { invalidField, quote } from '../../../errors.ts'
import { isObject } from '../../../foreign-json.ts'
import { isScalar, isStorable, pointedName } from '../../id-token/claims.ts'
import type { Match, Matcher, Scalar, Single } from '../matcher.ts'

const LIMITS = { claims: 32, name: 200, text: 1024, alternatives: 64 } as const

/** Throws {@link RequestError} `invalid-field` (field `match`), whose message lists every problem. */
export function readMatch(json: unknown): Match {
  if (!isObject(json)) throw matchRefused(['A match must be a JSON object with a matcher for each claim.'])
  const entries = Object.entries(json)
  if (entries.length > LIMITS.claims) {
    throw matchRefused([`A rule can match at most ${LIMITS.claims} claims.`])
  }
  const problems: string[] = []
  const match = entries.map(([claim, value]) => {
    const matcher = readMatcher(value)
    const problem = nameProblem(claim) ?? (matcher === undefined ? MATCHER_FORM : undefined)
    if (problem !== undefined) problems.push(`${claimText(claim)}: ${problem}.`)
    return [claim, matcher] as const
  })
  if (problems.length > 0) throw matchRefused(problems)
  return Object.fromEntries(match.filter(isRead))
}

/** Returns one refusal for all problems, with a sentence for each. */
export const matchRefused = (problems: readonly string[]) =>
  invalidField(problems.join(' '), { field: 'match' })

/** Quotes the claim if it has characters that are unusual in names of claims. */
export const claimText = (claim: string): string => (/^[\w./~-]{1,200}$/.test(claim) ? claim : quote(claim))

const MATCHER_FORM = `a matcher is a string of at most ${LIMITS.text} characters, a boolean, a number, {"fold": TEXT}, {"glob": PATTERN} or {"any_of": [MATCHER, …]}`

const isRead = (entry: readonly [string, Matcher | undefined]): entry is [string, Matcher] =>
  entry[1] !== undefined

function nameProblem(claim: string): string | undefined {
  if (claim.length === 0 || claim.length > LIMITS.name || !isStorable(claim)) {
    return `the name of a claim must have 1 to ${LIMITS.name} characters`
  }
  if (!claim.startsWith('/')) return undefined
  if (/~(?![01])/.test(claim)) return 'in a JSON Pointer, write ~ as ~0, and a slash within a name as ~1'
  const name = pointedName(claim)
  // One claim has one spelling, so that a rule cannot match "/sub" where "sub" is refused.
  return name === undefined || name.startsWith('/') ? undefined : 'write the claim without the slash'
}

function readMatcher(value: unknown): Matcher | undefined {
  if (!isObject(value) || !Object.hasOwn(value, 'any_of')) return readSingle(value)
  const list = onlyMember(value, 'any_of')
  if (!Array.isArray(list) || list.length === 0 || list.length > LIMITS.alternatives) return undefined
  const singles = list.map(readSingle).filter((single) => single !== undefined)
  return singles.length === list.length ? { any_of: singles } : undefined
}

function readSingle(value: unknown): Single | undefined {
  if (isScalar(value)) return isPlain(value) ? value : undefined
  if (!isObject(value)) return undefined
  const [fold, glob] = [onlyMember(value, 'fold'), onlyMember(value, 'glob')]
  if (typeof fold === 'string' && isPlain(fold)) return { fold }
  return typeof glob === 'string' && isPlain(glob) ? { glob } : undefined
}

const onlyMember = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.keys(value).length === 1 && Object.hasOwn(value, name) ? value[name] : undefined

/** Beyond 2^53, different numbers in the JSON text become equal. */
function isPlain(value: Scalar): boolean {
  if (typeof value === 'string') return value.length <= LIMITS.text && isStorable(value)
  return typeof value === 'boolean' || Math.abs(value) <= Number.MAX_SAFE_INTEGER
}
