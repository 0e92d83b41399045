/** Removes a brand that nothing needs. */
import { invalidField } from '../errors.ts'
import type { BrandDeps, BrandStores } from './brand-deps.ts'
import { findModelAssertion } from './models/find-model.ts'
import { type ModelName, showModelName } from './models/model-policy.ts'

/**
 * Removes its signing keys, too, and returns them. Throws `invalid-field` if there is no such brand, and while it has
 * models, another brand's model names it in `serial-authority`, or the register has one of its devices.
 */
export function removeBrand(
  accountId: string,
  { change }: Pick<BrandDeps, 'change'>,
): Promise<readonly string[]> {
  return change(async (stores) => {
    const { brands, assertions, record } = stores
    if (!(await brands.lock(accountId))) {
      throw invalidField(`There is no brand ${accountId.slice(0, 64)}. \`ratafia brands list\` shows them.`)
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

async function requireUnneeded(
  accountId: string,
  { models, assertions, devices }: BrandStores,
): Promise<void> {
  const all = await models.list()
  const own = all.filter(({ brandId }) => brandId === accountId)
  if (own.length > 0) {
    throw invalidField(
      `The brand ${accountId} has models: ${own.map(({ model }) => model).join(', ')}. Remove them first with \`ratafia models remove\`.`,
    )
  }
  const naming: ModelName[] = []
  for (const model of all) {
    const assertion = await findModelAssertion(model, { assertions })
    if (assertion?.fields.serialAuthority.includes(accountId)) naming.push(model)
  }
  if (naming.length > 0) {
    throw invalidField(
      `${naming.map(showModelName).join(', ')} may have serials that ${accountId} signed: their serial-authority names it. Update or remove these models first.`,
    )
  }
  const [device] = await devices.list({ brandId: accountId, limit: 1 })
  if (device === undefined) return
  throw invalidField(
    `The register has devices of ${accountId}, and the brand vouches for their serials. \`ratafia signing-keys disable\` stops it from signing more.`,
  )
}
