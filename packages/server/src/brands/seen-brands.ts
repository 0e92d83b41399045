/** Brands, which are the accounts that serials are signed for, as far as the caller can see them. */
import { type Authority, brandsFor, brandsNamed, covers } from '../authority.ts'
import { noSuchRecord, type RequestError } from '../errors.ts'
import { type Page, type Paging, pageOf } from '../page.ts'
import type { TransactionStores } from '../stores.ts'
import type { StoredBrand } from './brand-store.ts'

/** Returns brands sorted by account id, which is also the position. Throws `permission-denied`. */
export async function listBrands(
  { authority, after, limit }: Paging<string> & { readonly authority: Authority },
  { brands }: TransactionStores,
): Promise<Page<StoredBrand>> {
  const seen = brandsNamed(brandsFor(authority, 'models:read'), undefined)
  return pageOf(limit, (most) => brands.page({ brands: seen, after, limit: most }))
}

/** Throws `permission-denied`, and `no-such-record`, even for a brand that the caller can't see. */
export async function showBrand(
  { accountId, authority }: { readonly accountId: string; readonly authority: Authority },
  { brands }: TransactionStores,
): Promise<StoredBrand> {
  const isSeen = covers(brandsFor(authority, 'models:read'), accountId)
  // No name contains these characters, and no database accepts them.
  const brand = isSeen && !/[\0\p{Cs}]/u.test(accountId) ? await brands.find(accountId) : undefined
  if (brand) return brand
  throw noSuchBrand(accountId)
}

export const noSuchBrand = (accountId: string): RequestError =>
  noSuchRecord(`There is no brand ${accountId.slice(0, 64)}. \`ratafia brands list\` shows them.`, {
    kind: 'brand',
    id: accountId,
  })

/** The brand as the API, `--json` and exports show it. Times are RFC 3339 in UTC. */
export const brandRecord = ({ accountId, displayName, addedAt }: StoredBrand) => ({
  account_id: accountId,
  display_name: displayName,
  added_at: addedAt.toISOString(),
})
