/** How long a rule was of no use (contract/oidc.md, A23). */
import type { Rule } from '../rule.ts'

/** Milliseconds. */
const LONG_UNUSED = 90 * 86_400_000

/** Whether the rule is of no use: it never matched a job, or for 90 days it did not. */
export function disuseOf(
  { lastUsedAt }: Pick<Rule, 'lastUsedAt'>,
  now: Date,
): 'never-matched' | 'unused-for-90-days' | undefined {
  if (!lastUsedAt) return 'never-matched'
  return now.getTime() - lastUsedAt.getTime() > LONG_UNUSED ? 'unused-for-90-days' : undefined
}
