/** Records refusals of proven jobs in the audit log, which alone shows how they differ from rules (A21, A22). */
import { jobActor } from '../change.ts'
import type { ExchangeDependencies } from './exchange-dependencies.ts'
import type { Claims, VerifiedIdToken } from './id-token/id-token.ts'
import type { Issuer } from './issuers/issuer.ts'
import { keptClaims } from './issuers/job.ts'
import { ExchangeRefusal, type Reason } from './refusal.ts'
import { compareRules, type NothingGranted, nothingGranted } from './rules/nothing-granted.ts'
import type { RuleForJob } from './rules/rule-store.ts'

/** The facts that an exchange has established so far. */
export interface Progress {
  issuer?: Issuer
  /** The claims of the ID token, verified or not. */
  claims?: Claims
  verified?: VerifiedIdToken
  /** The rules with the ids of the job. */
  candidates?: readonly RuleForJob[]
  rule?: RuleForJob['rule']
}

/** Refusals before the signature was checked, or because of the signature: anyone can cause them. */
const UNPROVEN: ReadonlySet<Reason> = new Set([
  'malformed',
  'too-large',
  'issuer-unknown',
  'algorithm',
  'type',
  'key-unknown',
  'signature',
])

const NOTHING: ReadonlySet<Reason> = new Set<NothingGranted>([
  'no-rule',
  'event',
  'rule-disabled',
  'account-disabled',
])
const isNothingGranted = (reason: Reason): reason is NothingGranted => NOTHING.has(reason)

interface RecordDeps extends Pick<ExchangeDependencies, 'record'> {
  readonly source: string
}

/** Records a refusal. Returns the error to throw in place of `error`, which names the audit entry if there is one. */
export async function refusalRecorded(
  error: unknown,
  progress: Progress,
  { record, source }: RecordDeps,
): Promise<unknown> {
  const { issuer, claims = {}, verified, rule } = progress
  if (!(error instanceof ExchangeRefusal) || !issuer || UNPROVEN.has(error.reason)) return error
  const { reason } = error
  const entry = await record(
    {
      action: 'publisher.refused',
      subject: rule?.name ?? issuer.url,
      details: {
        reason,
        issuer: issuer.url,
        ...(rule && { rule: rule.name, version: rule.version }),
        claims: claimLines(keptOf(issuer, claims)),
        ...comparisonOf(reason, progress),
      },
    },
    { actor: jobActor(issuer.url), source },
  )
  const more = { extra: { ...error.extra, audit: entry }, cause: error }
  if (verified && isNothingGranted(reason)) {
    const { message } = nothingGranted(reason, issuer, verified, entry)
    return new ExchangeRefusal(reason, message, more)
  }
  const message = `${error.message} The operator can find more in audit entry ${entry}.`
  return new ExchangeRefusal(reason, message, { code: error.code, ...more })
}

/** Returns a line for each kept claim. */
export const claimLines = (claims: ReturnType<typeof keptClaims>): readonly string[] =>
  Object.entries(claims).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)

/** Returns an empty record if one of the claims cannot be kept, because it is too long or not storable. */
function keptOf(issuer: Issuer, claims: Claims): ReturnType<typeof keptClaims> {
  try {
    return keptClaims(issuer, claims)
  } catch (error) {
    if (error instanceof ExchangeRefusal) return {}
    throw error
  }
}

function comparisonOf(reason: Reason, { issuer, verified, candidates = [] }: Progress) {
  if (!issuer || !verified || (reason !== 'no-rule' && reason !== 'event')) return {}
  const rules = compareRules(verified, issuer, candidates).map(
    ({ rule, differences }) =>
      `${rule}: ${differences.map(({ claim, expected, found }) => `${claim} is ${found}, not ${expected}`).join('; ')}`,
  )
  return { rules }
}
