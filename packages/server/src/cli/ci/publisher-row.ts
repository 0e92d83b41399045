/** Shows a rule as a row. */
import { disuseOf } from '../../ci/rules/managing/publisher-record.ts'
import { formatMatch } from '../../ci/rules/matcher.ts'
import type { KnownRule } from '../../ci/rules/rule-store.ts'
import type { RowOf } from '../output.ts'
import type { PUBLISHER_COLUMNS } from './publisher-columns.ts'

type PublisherRow = RowOf<typeof PUBLISHER_COLUMNS>

/** Returns a row that names matches and limits as the options do. */
export const publisherRow = (known: KnownRule, now: Date): PublisherRow => {
  const { rule } = known
  const { permissions, packages, channels, storeIds } = rule.grants
  return {
    name: rule.name,
    account: known.account.username,
    issuer: known.issuer.url,
    kind: known.issuer.kind,
    match: formatMatch(rule.match).join(' '),
    permissions: permissions.join(' '),
    packages: packages.join(' '),
    channels: channels?.join(' ') ?? null,
    stores: storeIds?.join(' ') ?? null,
    lifetime_seconds: rule.lifetime / 1000,
    last_used: lastUse(rule, now),
    disabled_at: rule.disabledAt?.toISOString() ?? null,
    created_at: rule.createdAt.toISOString(),
    version: rule.version,
  }
}

/** Returns the time of the last use, with a hint if the rule may be worth removing. */
function lastUse(rule: KnownRule['rule'], now: Date): string {
  const at = rule.lastUsedAt?.toISOString() ?? ''
  const disuse = disuseOf(rule, now)
  if (disuse === 'never-matched') return 'never matched'
  return disuse === undefined ? at : `${at} (unused for 90 days)`
}
