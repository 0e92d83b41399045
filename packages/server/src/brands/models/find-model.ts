/** Looks models up: the policy that the operator chose, and the assertion that the brand signed. */
import type { UnverifiedAssertion } from '@ratafia/assertions'
import { type Authority, brandsFor, brandsNamed, covers, requireForBrand } from '../../authority.ts'
import { noSuchRecord, type RequestError } from '../../errors.ts'
import { type Page, type Paging, pageOf } from '../../page.ts'
import type { TransactionStores } from '../../stores.ts'
import { findAssertion } from '../trust/trust.ts'
import { type ModelName, type OpenModel, showModelName } from './model-policy.ts'

/** A model, and the caller's authority. */
export interface NamedModel {
  readonly model: ModelName
  readonly authority: Authority
}

/**
 * Returns the model if the caller can see it. Throws `permission-denied`, and `no-such-record`, even for a model of a
 * brand that the caller can't see.
 */
export async function seenModel(
  { model, authority }: NamedModel,
  { models }: TransactionStores,
): Promise<OpenModel> {
  const brands = brandsFor(authority, 'models:read')
  const found = covers(brands, model.brandId) && isStorable(model) ? await models.findOpen(model) : undefined
  if (found) return found
  throw noSuchModel(model)
}

/** Does the same as {@link seenModel}, for callers who can change the model and its records. */
export async function managedModel(named: NamedModel, stores: TransactionStores): Promise<OpenModel> {
  const model = await seenModel(named, stores)
  requireForBrand(named.authority, 'models:manage', model.brandId)
  return model
}

/** No name contains these characters, and no database accepts them. */
export const isStorable = (name: ModelName): boolean => !/[\0\p{Cs}]/u.test(showModelName(name))

export const noSuchModel = (name: ModelName): RequestError =>
  noSuchRecord(
    `There is no model ${showModelName(name).slice(0, 128)}. \`ratafia models list\` shows them, \`ratafia models add\` adds one.`,
    { kind: 'model', id: showModelName(name) },
  )

/** Returns undefined if none is stored. Verifies nothing. */
export const findModelAssertion = (
  { brandId, model }: ModelName,
  stores: TransactionStores,
): Promise<UnverifiedAssertion<'model'> | undefined> => findAssertion('model', ['16', brandId, model], stores)

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
