/** Explains offline whether a rule matches claims (contract/oidc.md, "Commands and pipelines"). */
import { invalidField } from '../../../errors.ts'
import type { Stores } from '../../../stores.ts'
import type { Claims } from '../../id-token/id-token.ts'
import { readIdToken } from '../../id-token/read.ts'
import { findIssuer } from '../../issuers/find.ts'
import { ExchangeRefusal } from '../../refusal.ts'
import { type ExplainedLine, explainRule } from '../explain.ts'
import type { KnownRule } from '../rule-store.ts'
import { findRule } from './find-rule.ts'

interface TestRuleDeps extends Stores {
  readonly baseUrl: string
}

/** A line of the explanation, or another reason why the rule grants nothing. */
export type TestedLine = Omit<ExplainedLine, 'of'> & { readonly of: ExplainedLine['of'] | 'rule' | 'account' }

export interface TestedRule {
  readonly known: KnownRule
  /** Whether a signed ID token with these claims, not used before, gets what the rule grants. */
  readonly holds: boolean
  readonly lines: readonly TestedLine[]
  /** When the claims were issued, if they contain that: their times are checked as of then, since files can be old. */
  readonly at: Date
}

/** Throws `no-such-record` if there is no such rule. */
export const testRule = async (
  { name, claims }: { readonly name: string; readonly claims: Claims },
  deps: TestRuleDeps,
): Promise<TestedRule> => testKnownRule({ known: await findRule(name, deps.rules), claims }, deps)

export async function testKnownRule(
  { known, claims }: { readonly known: KnownRule; readonly claims: Claims },
  deps: TestRuleDeps,
): Promise<TestedRule> {
  const { issuer } = await findIssuer(known.issuer.url, deps)
  const at = issuedAt(claims) ?? deps.clock()
  const { holds, lines } = explainRule(known.rule, issuer, claims, { audience: deps.baseUrl, now: at })
  const disabled = disabledLines(known)
  return { known, at, holds: holds && disabled.length === 0, lines: [...disabled, ...lines] }
}

/** Returns the claims of an ID token without checking its signature. Throws `invalid-field` for an invalid ID token. */
export function claimsIn(idToken: string): Claims {
  try {
    return readIdToken(idToken.trim()).unverifiedClaims
  } catch (error) {
    if (!(error instanceof ExchangeRefusal)) throw error
    throw invalidField(error.message, { field: 'body/id_token', cause: error })
  }
}

function issuedAt({ iat }: Claims): Date | undefined {
  const at = typeof iat === 'number' ? new Date(iat * 1000) : undefined
  return at && !Number.isNaN(at.getTime()) ? at : undefined
}

function disabledLines({ rule, account }: KnownRule): readonly TestedLine[] {
  const line = (of: 'rule' | 'account', name: string, at: Date | undefined): readonly TestedLine[] =>
    at === undefined ? [] : [{ of, claim: name, expected: 'enabled', found: 'disabled', holds: false }]
  return [
    ...line('rule', rule.name, rule.disabledAt),
    ...line('account', account.username, account.disabledAt),
  ]
}
