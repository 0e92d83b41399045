/** Who has which role. */
import { type Authority, requireForAll } from '../../authority.ts'
import type { GrantKey, ListedGrant } from './grant.ts'
import type { GrantFilter, GrantStore } from './grant-store.ts'

interface Listing {
  readonly filter: GrantFilter
  readonly after: GrantKey | undefined
  readonly limit: number
  readonly authority: Authority
}

/** By account, role and brand; expired ones too. `next` is what comes after. Throws `permission-denied`. */
export async function listGrants(
  { filter, after, limit, authority }: Listing,
  { grants }: { readonly grants: Pick<GrantStore, 'list'> },
): Promise<{ readonly grants: readonly ListedGrant[]; readonly next: GrantKey | undefined }> {
  requireForAll(authority, 'roles:read')
  // One more shows whether there is another page.
  const rows = await grants.list(filter, { after, limit: limit + 1 })
  const page = rows.slice(0, limit)
  return { grants: page, next: rows.length > limit ? page.at(-1) : undefined }
}
