/** Formats a rule for the API, `--json` and the console. */
import type { Rule } from '../rule.ts'
import type { KnownRule } from '../rule-store.ts'
import type { TestedRule } from './test-rule.ts'

/** Returns the rule for programs: its match as JSON, and lists as lists. */
export function publisherRecord({ rule, account, issuer }: KnownRule, now: Date) {
  const { permissions, packages, channels, storeIds } = rule.grants
  return {
    id: rule.id,
    name: rule.name,
    account: account.username,
    issuer: issuer.url,
    kind: issuer.kind,
    match: rule.match,
    permissions,
    packages,
    channels,
    stores: storeIds,
    lifetime_seconds: rule.lifetime / 1000,
    disabled_at: rule.disabledAt?.toISOString() ?? null,
    created_at: rule.createdAt.toISOString(),
    version: rule.version,
    last_used_at: rule.lastUsedAt?.toISOString() ?? null,
    disuse: disuseOf(rule, now) ?? null,
  }
}

export const testedRecord = ({ known, at, holds, lines }: TestedRule) => ({
  rule: known.rule.name,
  version: known.rule.version,
  at: at.toISOString(),
  holds,
  lines: lines.map(({ of: about, claim, expected, found, holds }) => ({
    about,
    claim,
    expected,
    found,
    holds,
  })),
})

/** After this many milliseconds without use, a rule is listed as unused. */
const LONG_UNUSED = 90 * 86_400_000

/** Returns how a rule is unused (contract/oidc.md, A23); undefined if it matched a job within the last 90 days. */
function disuseOf(
  { lastUsedAt }: Pick<Rule, 'lastUsedAt'>,
  now: Date,
): 'never-matched' | 'unused-for-90-days' | undefined {
  if (!lastUsedAt) return 'never-matched'
  return now.getTime() - lastUsedAt.getTime() > LONG_UNUSED ? 'unused-for-90-days' : undefined
}
