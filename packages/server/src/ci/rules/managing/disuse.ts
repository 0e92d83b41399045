/** Whether a rule is of no use any more (contract/oidc.md, A23). */
import type { Rule } from '../rule.ts'

/** Milliseconds. */
const LONG_UNUSED = 90 * 86_400_000

/** `undefined` for a rule that matched a job within the last 90 days. */
export function disuseOf(
  { lastUsedAt }: Pick<Rule, 'lastUsedAt'>,
  now: Date,
): 'never-matched' | 'unused-for-90-days' | undefined {
  if (!lastUsedAt) return 'never-matched'
  return now.getTime() - lastUsedAt.getTime() > LONG_UNUSED ? 'unused-for-90-days' : undefined
}
