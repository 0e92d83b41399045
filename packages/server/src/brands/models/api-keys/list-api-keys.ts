/** API keys, without their text, for callers who can see their model. */
import { type Authority, brandsFor, covers } from '../../../authority.ts'
import { noSuchRecord, type RequestError } from '../../../errors.ts'
import { type Page, type Paging, pageOf } from '../../../page.ts'
import type { TransactionStores } from '../../../stores.ts'
import { type NamedModel, seenModel } from '../find-model.ts'
import type { ModelName } from '../model-policy.ts'
import type { ApiKey } from './api-key.ts'
import type { KeyPosition } from './api-key-store.ts'

/** Returns the keys of one model, sorted by time. Throws as {@link seenModel} does. */
export async function pageOfApiKeys(
  { after, limit, ...named }: NamedModel & Paging<KeyPosition>,
  stores: TransactionStores,
): Promise<Page<ApiKey>> {
  const model = await seenModel(named, stores)
  return pageOf(limit, (most) => stores.apiKeys.page(model, { after, limit: most }))
}

export interface NamedApiKey {
  readonly id: string
  readonly authority: Authority
  /** Keys of other models are treated as missing. By default, any model matches. */
  readonly model?: ModelName
}

/** Throws `permission-denied`, and `no-such-record`, even for a key of a brand that the caller can't see. */
export async function seenApiKey(
  { id, authority, model }: NamedApiKey,
  { apiKeys }: TransactionStores,
): Promise<ApiKey> {
  const brands = brandsFor(authority, 'models:read')
  const key = /^[0-9a-f]{1,64}$/.test(id) ? await apiKeys.find(id) : undefined
  const isMeant = !model || (key?.brandId === model.brandId && key.model === model.model)
  if (key && isMeant && covers(brands, key.brandId)) return key
  throw noSuchApiKey(id)
}

export const noSuchApiKey = (id: string): RequestError =>
  noSuchRecord(`There is no API key ${id.slice(0, 64)}. \`ratafia api-keys list\` shows their ids.`, {
    kind: 'api-key',
    id,
  })
