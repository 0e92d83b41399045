/** Takes a brand back that has no models. */
import type { Changing } from '../change.ts'
import { refused } from './assertion-file.ts'
import type { BrandStore } from './brand-store.ts'
import type { ModelDeps } from './find-model.ts'
import { showModelName } from './model-policy.ts'
import type { ModelStore } from './model-store.ts'
import type { SignerDeps } from './signer-for.ts'
import { stoppedModels } from './signing-keys.ts'

interface RemoveBrandDeps extends SignerDeps, ModelDeps {
  readonly brands: Pick<BrandStore, 'keys'>
  readonly change: Changing<{
    readonly brands: Pick<BrandStore, 'lock' | 'keys' | 'remove'>
    readonly models: Pick<ModelStore, 'list'>
  }>
}

/**
 * With its signing keys, which are returned. Its account and account-key assertions stay: what was signed in its name is
 * still told from what was not. Throws `invalid-field` when there is none, while it has models, and while models of
 * others have no other signer.
 */
export async function removeBrand(accountId: string, deps: RemoveBrandDeps): Promise<readonly string[]> {
  const keyIds = (await deps.brands.keys(accountId)).map(({ keyId }) => keyId)
  const stopped = (await stoppedModels(keyIds, deps)).filter(({ brandId }) => brandId !== accountId)
  if (stopped.length > 0) {
    throw refused(
      `No serial of ${stopped.map(showModelName).join(', ')} could be signed any more: ${accountId} signs for them. Give them another signer first, or remove them.`,
    )
  }
  return deps.change(async ({ brands, models, record }) => {
    if (!(await brands.lock(accountId))) {
      throw refused(`There is no brand ${accountId.slice(0, 64)}. \`ratafia brands list\` shows them.`)
    }
    const own = (await models.list()).filter(({ brandId }) => brandId === accountId)
    if (own.length > 0) {
      throw refused(
        `The brand ${accountId} has models: ${own.map(({ model }) => model).join(', ')}. Remove them first with \`ratafia models remove\`.`,
      )
    }
    const removed = (await brands.keys(accountId)).map(({ keyId }) => keyId)
    await brands.remove(accountId)
    await record({ action: 'brand.remove', subject: accountId, details: { keys: removed } })
    return removed
  })
}
