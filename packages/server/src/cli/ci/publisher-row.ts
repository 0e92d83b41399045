/** A rule as commands show it. */

import { disuseOf } from '../../ci/rules/managing/publisher-record.ts'
import { formatMatch } from '../../ci/rules/matcher.ts'
import type { KnownRule } from '../../ci/rules/rule-store.ts'
import type { RowOf } from '../output.ts'
import type { PUBLISHER_COLUMNS } from './publisher-columns.ts'

type PublisherRow = RowOf<typeof PUBLISHER_COLUMNS>

/** In the words of the options. */
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

/** Also says when a rule may be worth removing. */
function lastUse(rule: KnownRule['rule'], now: Date): string {
  const at = rule.lastUsedAt?.toISOString() ?? ''
  const disuse = disuseOf(rule, now)
  if (disuse === 'never-matched') return 'never matched'
  return disuse === undefined ? at : `${at} (unused for 90 days)`
}
