/** Removes a brand that is no longer needed. */
import { type Authority, requireForAll } from '../authority.ts'
import { stillReferenced } from '../errors.ts'
import type { Stores, TransactionStores } from '../stores.ts'
import { findModelAssertion } from './models/find-model.ts'
import { type ModelName, showModelName } from './models/model-policy.ts'
import { noSuchBrand } from './seen-brands.ts'

/**
 * Removes a brand with its signing keys, and returns their ids. Throws `permission-denied`, `no-such-record`,
 * and `still-referenced` while it has models, another brand's model names it in `serial-authority`, or the
 * register has one of its devices.
 */
export async function removeBrand(
  { brand: accountId, authority }: { readonly brand: string; readonly authority: Authority },
  { changeBy }: Stores,
): Promise<readonly string[]> {
  requireForAll(authority, 'roles:manage')
  return changeBy(authority.author)(async (stores) => {
    const { brands, assertions, record } = stores
    if (!(await brands.lock(accountId))) {
      throw noSuchBrand(accountId)
    }
    await requireUnneeded(accountId, stores)
    const keyIds = (await brands.keys(accountId)).map(({ keyId }) => keyId)
    await brands.remove(accountId)
    for (const keyId of keyIds) await assertions.remove('account-key', keyId)
    await assertions.remove('account', accountId)
    await record({ action: 'brand.remove', subject: accountId, details: { keys: keyIds } })
    return keyIds
  })
}

async function requireUnneeded(accountId: string, stores: TransactionStores): Promise<void> {
  const { models, devices } = stores
  const all = await models.list()
  const own = all.filter(({ brandId }) => brandId === accountId)
  if (own.length > 0) {
    throw stillReferenced(
      `The brand ${accountId} has models: ${own.map(({ model }) => model).join(', ')}. Remove them first with \`ratafia models remove\`.`,
      { kind: 'brand', id: accountId, by: own.map(showModelName) },
    )
  }
  const naming: ModelName[] = []
  for (const model of all) {
    const assertion = await findModelAssertion(model, stores)
    if (assertion?.fields.serialAuthority.includes(accountId)) naming.push(model)
  }
  if (naming.length > 0) {
    throw stillReferenced(
      `${naming.map(showModelName).join(', ')} may have serials that ${accountId} signed: their serial-authority names it. Update or remove these models first.`,
      { kind: 'brand', id: accountId, by: naming.map(showModelName) },
    )
  }
  const [device] = await devices.list({ brandId: accountId, limit: 1 })
  if (device === undefined) return
  throw stillReferenced(
    `The register has devices of ${accountId}, and the brand vouches for their serials. \`ratafia signing-keys disable\` stops it from signing more.`,
    { kind: 'brand', id: accountId, by: 'devices' },
  )
}
