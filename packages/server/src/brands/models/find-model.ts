/** Looks models up: the policy that the operator chose, and the assertion that the brand signed. */
import type { UnverifiedAssertion } from '@ratafia/assertions'
import { type Authority, brandsFor, covers, requireForBrand } from '../../authority.ts'
import { noSuchRecord, type RequestError } from '../../errors.ts'
import type { TransactionStores } from '../../stores.ts'
import { findAssertion } from '../trust/trust.ts'
import { type ModelName, type OpenModel, showModelName } from './model-policy.ts'

/** A model, and who asks for it. */
export interface NamedModel {
  readonly model: ModelName
  readonly authority: Authority
}

/**
 * The model, for whoever may see it. Throws {@link RequestError} `permission-denied`; `no-such-record`, in the same words
 * for a model of another brand.
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

/** As {@link seenModel}, for whoever may change the model and what belongs to it. */
export async function managedModel(named: NamedModel, stores: TransactionStores): Promise<OpenModel> {
  const model = await seenModel(named, stores)
  requireForBrand(named.authority, 'models:manage', model.brandId)
  return model
}

/** No name has these, and no database takes them. */
export const isStorable = (name: ModelName): boolean => !/[\0\p{Cs}]/u.test(showModelName(name))

export const noSuchModel = (name: ModelName): RequestError =>
  noSuchRecord(
    `There is no model ${showModelName(name).slice(0, 128)}. \`ratafia models list\` shows them, \`ratafia models add\` adds one.`,
    { kind: 'model', id: showModelName(name) },
  )

/** Undefined if none is stored. Nothing is verified here. */
export const findModelAssertion = (
  { brandId, model }: ModelName,
  stores: TransactionStores,
): Promise<UnverifiedAssertion<'model'> | undefined> => findAssertion('model', ['16', brandId, model], stores)
