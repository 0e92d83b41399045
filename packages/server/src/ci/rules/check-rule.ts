/** Checks that a new rule is narrow enough (contract/oidc.md, A7 to A9, "Needed in a rule"). */
import type { Issuer } from '../issuers/issuer.ts'
import { type Kind, kindOf } from '../issuers/kinds.ts'
import type { Match, Matcher } from './matcher.ts'
import { neverAllowed } from './matchers/events.ts'
import { globProblem } from './matchers/glob.ts'
import { alternatives } from './matchers/holds.ts'
import { claimText, matchRefused } from './matchers/read-match.ts'
import { MOST_IDS, namesOf, stableIdsOf } from './stable-ids.ts'
import { warningsOf } from './warnings.ts'

export interface CheckedRule {
  /** The match, with the claims that the kind adds (A9). */
  readonly match: Match
  /** Sentences for the rule's author. */
  readonly warnings: readonly string[]
}

/** Throws {@link RequestError} `invalid-field` (field `match`), whose message lists every problem. */
export function checkRule(issuer: Issuer, given: Match): CheckedRule {
  const kind = kindOf(issuer.kind)
  const match = withImplied(kind, given)
  const problems = [
    ...idProblems(issuer, match),
    ...subProblems(kind, match),
    ...oneOfProblems(kind, match),
    ...globProblems(match, idsWanted(issuer, match)),
    ...eventProblems(kind, match),
  ]
  if (problems.length > 0) throw matchRefused(problems)
  return { match, warnings: warningsOf(issuer, match) }
}

const names = (match: Match, claim: string): boolean => Object.hasOwn(match, claim)

const withImplied = ({ oneOf, implied }: Kind, match: Match): Match =>
  implied === undefined || oneOf.some((claim) => names(match, claim)) ? match : { ...match, ...implied }

/** Returns the ids, or the names if the issuer accepts names and the rule has no id. */
function idsWanted(issuer: Issuer, match: Match): readonly string[] {
  const ids = stableIdsOf(issuer)
  const accepted = namesOf(issuer)
  return accepted.length > 0 && !ids.some((claim) => names(match, claim)) ? accepted : ids
}

function idProblems(issuer: Issuer, match: Match): readonly string[] {
  const { idForm, whyIds, title } = kindOf(issuer.kind)
  const wanted = idsWanted(issuer, match)
  const missing = wanted.filter((claim) => !names(match, claim))
  const verb = missing.length === 1 ? 'is' : 'are'
  const needed = missing.length === 0 ? [] : [`${missing.join(' and ')} ${verb} needed: ${whyIds}.`]
  const form = wanted === stableIdsOf(issuer) ? idForm : 'text'
  const bad = wanted
    .filter((claim) => names(match, claim) && !isExact(match[claim], form))
    .map(
      (claim) =>
        `${claimText(claim)}: ids are matched exactly, and this one is ${FORMS[form]} in ID tokens of ${title}.`,
    )
  const values = JSON.stringify(wanted.map((claim) => match[claim]))
  const long = values.length > MOST_IDS - 16 ? [`The ids are longer than ${MOST_IDS - 16} characters.`] : []
  return [...needed, ...bad, ...long]
}

const FORMS = {
  digits: 'a string of digits',
  text: 'a string',
  'text or number': 'a string or a whole number',
} as const satisfies Readonly<Record<Kind['idForm'], string>>

function isExact(matcher: Matcher | undefined, form: Kind['idForm']): boolean {
  if (typeof matcher === 'number') return form === 'text or number' && Number.isInteger(matcher)
  return typeof matcher === 'string' && (form === 'digits' ? /^[0-9]+$/ : /./s).test(matcher)
}

const subProblems = ({ subUnmatched, title }: Kind, match: Match): readonly string[] =>
  subUnmatched !== undefined && names(match, 'sub')
    ? [`sub is not matched on ${title}: ${subUnmatched}.`]
    : []

function oneOfProblems({ oneOf, title }: Kind, match: Match): readonly string[] {
  if (oneOf.length === 0 || oneOf.some((claim) => names(match, claim))) return []
  if (oneOf.length === 1)
    return [`${oneOf[0]} is needed. Without it, every job of ${title} with these ids would get the token.`]
  return [`One of ${oneOf.join(', ')} is needed. Without it, every job with these ids would get the token.`]
}

function globProblems(match: Match, ids: readonly string[]): readonly string[] {
  return Object.entries(match)
    .filter(([claim]) => !ids.includes(claim))
    .flatMap(([claim, matcher]) =>
      alternatives(matcher).flatMap((single) => {
        const problem = typeof single === 'object' && 'glob' in single ? globProblem(single.glob) : undefined
        return problem === undefined ? [] : [`${claimText(claim)}: ${problem}.`]
      }),
    )
}

function eventProblems({ events }: Kind, match: Match): readonly string[] {
  const matcher = events && names(match, events.claim) ? match[events.claim] : undefined
  if (events === undefined || matcher === undefined) return []
  return neverAllowed(events, matcher).map(
    (event) =>
      `${events.claim}: the event ${event} is never allowed, because outsiders can trigger it and its job runs with full rights.`,
  )
}
