/** Models, page by page, of the brands that somebody may see. */
import { type Authority, brandsFor, brandsNamed } from '../../authority.ts'
import { pageOf } from '../../page.ts'
import type { TransactionStores } from '../../stores.ts'
import type { ModelName, OpenModel } from './model-policy.ts'

interface Listing {
  readonly authority: Authority
  /** Default: all. */
  readonly brands?: readonly string[] | undefined
  readonly after?: ModelName | undefined
  readonly limit: number
}

/** By brand and name. `next` is where the page that follows begins. Throws `permission-denied`. */
export async function listModels(
  { authority, brands, after, limit }: Listing,
  { models }: TransactionStores,
): Promise<{ readonly models: readonly OpenModel[]; readonly next: ModelName | undefined }> {
  const seen = brandsNamed(brandsFor(authority, 'models:read'), brands)
  const { rows: page, next } = await pageOf(limit, (most) =>
    models.page({ brands: seen, after, limit: most }),
  )
  return { models: page, next }
}
