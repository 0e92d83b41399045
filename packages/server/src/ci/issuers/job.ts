/** Describes a job for its session and the audit log (contract/oidc.md, A13, A22). */
import { quote } from '../../errors.ts'
import { claimOf, isScalar, isStorable, mayHaveEmail } from '../id-token/claims.ts'
import type { Claims, Scalar, VerifiedIdToken } from '../id-token/id-token.ts'
import { ExchangeRefusal } from '../refusal.ts'
import { stableIdsOf } from '../rules/stable-ids.ts'
import type { Issuer } from './issuer.ts'
import { kindOf } from './kinds.ts'

/** Returns `NAME: KIND run RUN`, without the run if the token has none. At most 100 characters longer than the name. */
export function describeJob(rule: string, issuer: Issuer, { kept }: VerifiedIdToken): string {
  const { run: claim } = kindOf(issuer.kind)
  const run = claim === undefined ? '' : String(kept[claim] ?? '')
  const job = `${rule}: ${issuer.kind}`
  return /^[!-~]{1,64}$/.test(run) ? `${job} run ${run}` : job
}

/** The maximum length of a string that is kept. More than any ref with its workflow has. */
const MOST_CHARACTERS = 1024

/** Throws {@link ExchangeRefusal} `claim-invalid` for a string that is too long, or that a database cannot store. */
export function keptClaims(issuer: Issuer, claims: Claims): Readonly<Record<string, Scalar>> {
  const names = issuer.kind === 'generic' ? stableIdsOf(issuer) : kindOf(issuer.kind).kept
  const kept: [string, Scalar][] = []
  for (const name of names) {
    const value = claimOf(claims, name)
    if (!isScalar(value)) continue
    if (typeof value === 'string') {
      checkText(name, value)
      if (mayHaveEmail(value)) continue
    }
    kept.push([name, value])
  }
  return Object.fromEntries(kept)
}

function checkText(name: string, value: string): void {
  if (value.length <= MOST_CHARACTERS && isStorable(value)) return
  throw new ExchangeRefusal(
    'claim-invalid',
    `The claim ${quote(name)} of the ID token is not a string of at most ${MOST_CHARACTERS} characters.`,
  )
}
