/** Lists the models of the brands that the caller can see, page by page. */
import { type Authority, brandsFor, brandsNamed } from '../../authority.ts'
import { type Page, type Paging, pageOf } from '../../page.ts'
import type { TransactionStores } from '../../stores.ts'
import type { ModelName, OpenModel } from './model-policy.ts'

interface Listing extends Paging<ModelName> {
  readonly authority: Authority
  /** The default is all. */
  readonly brands?: readonly string[] | undefined
}

/** Returns models sorted by brand and name. Throws `permission-denied`. */
export async function listModels(
  { authority, brands, after, limit }: Listing,
  { models }: TransactionStores,
): Promise<Page<OpenModel>> {
  const seen = brandsNamed(brandsFor(authority, 'models:read'), brands)
  return pageOf(limit, (most) => models.page({ brands: seen, after, limit: most }))
}
