/** Which models the devices of a model may become. */
import { brandsFor, brandsNamed } from '../../authority.ts'
import { pageOf } from '../../page.ts'
import type { TransactionStores } from '../../stores.ts'
import { type NamedModel, seenModel } from './find-model.ts'
import { type ModelName, showModelName } from './model-policy.ts'
import type { Remodel } from './model-store.ts'

interface Listing extends NamedModel {
  readonly after?: ModelName | undefined
  readonly limit: number
}

/**
 * By brand and name; models of brands that the caller may not see are not there. `next` is where the page that follows
 * begins. Throws as {@link seenModel} does.
 */
export async function listRemodels(
  { after, limit, ...named }: Listing,
  stores: TransactionStores,
): Promise<{ readonly remodels: readonly Remodel[]; readonly next: ModelName | undefined }> {
  const model = await seenModel(named, stores)
  const brands = brandsNamed(brandsFor(named.authority, 'models:read'), undefined)
  const { rows: remodels, next } = await pageOf(limit, (most) =>
    stores.models.remodelsFrom(model, { brands, after, limit: most }),
  )
  return { remodels, next: next?.to }
}

/** As the API, `--json` and exports show it. Times are RFC 3339 in UTC. */
export const remodelRecord = ({ from, to, allowedAt }: Remodel) => ({
  from: showModelName(from),
  to: showModelName(to),
  allowed_at: allowedAt.toISOString(),
})
