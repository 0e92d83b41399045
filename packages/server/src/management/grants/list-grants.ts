/** Lists which accounts have which roles. */
import { findAccount } from '../../accounts/find.ts'
import { type Authority, requireForAll } from '../../authority.ts'
import type { GrantKey, ListedGrant } from '../../grants/grant.ts'
import type { GrantFilter } from '../../grants/grant-store.ts'
import { type Page, type Paging, pageOf } from '../../page.ts'
import type { TransactionStores } from '../../stores.ts'

interface Listing extends Paging<GrantKey> {
  readonly filter: Omit<GrantFilter, 'accountId'> & {
    /** A username or an id. */
    readonly account?: string | undefined
  }
  readonly authority: Authority
}

/** Lists grants, including expired ones. Throws `permission-denied`, and `no-such-record` for the account. */
export async function listGrants(
  { filter: { account, ...filter }, after, limit, authority }: Listing,
  stores: TransactionStores,
): Promise<Page<ListedGrant>> {
  requireForAll(authority, 'roles:read')
  const accountId = account === undefined ? undefined : (await findAccount(account, stores)).id
  return pageOf(limit, (most) => stores.grants.list({ ...filter, accountId }, { after, limit: most }))
}
