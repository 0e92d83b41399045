/** An issuer as commands show it. */
import type { FoundIssuer } from '../../ci/issuers/issuer.ts'
import { KINDS } from '../../ci/issuers/kinds.ts'
import type { ShownIssuer } from '../../ci/issuers/show.ts'
import type { Row, RowOf } from '../output.ts'

export const ISSUER_COLUMNS = [
  'url',
  'kind',
  'audience',
  'keys',
  'keys_from',
  'tried_at',
  'failure',
  'id',
  'created_at',
] as const

export const issuerRow = ({ issuer, keys }: FoundIssuer): RowOf<typeof ISSUER_COLUMNS> => ({
  url: issuer.url,
  kind: issuer.kind,
  audience: issuer.settings.audience,
  keys: keys.pinnedAt ? 'pinned' : 'fetched',
  keys_from: (keys.pinnedAt ?? keys.fetchedAt).toISOString(),
  tried_at: keys.pinnedAt ? null : keys.triedAt.toISOString(),
  failure: keys.failure ?? null,
  id: issuer.id,
  created_at: issuer.createdAt.toISOString(),
})

/** For JSON: the lists as lists. */
export function shownIssuer(found: ShownIssuer) {
  const { settings } = found.issuer
  return {
    ...issuerRow(found),
    other_audiences: settings.otherAudiences,
    private_addresses: settings.privateAddresses,
    stable_claims: settings.stableClaims ?? KINDS[found.issuer.kind].stableIds,
    names_can_be_reused: settings.namesCanBeReused,
    max_life_seconds: settings.longestLife / 1000,
    algorithms: found.imported.algorithms,
    key_ids: found.imported.keys.map(({ kid }) => kid ?? null),
    keys_left_out: Object.entries(found.imported.leftOut).map(([reason, count]) => `${count} ${reason}`),
    rules: found.rules.map(({ name }) => name),
  }
}

/** For people. */
export const rowOfShown = (found: ShownIssuer): Row =>
  Object.fromEntries(
    Object.entries(shownIssuer(found)).map(([name, value]) => [
      name,
      value !== null && typeof value === 'object'
        ? value.map((one) => one ?? 'without a name').join(', ')
        : value,
    ]),
  )
