/** Stops a key from signing serials. */
import { invalidField } from '../../errors.ts'
import type { BrandDeps } from '../brand-deps.ts'
import { type ModelName, showModelName } from '../models/model-policy.ts'
import { type SignerDeps, signerOrFault } from './signer-for.ts'

/**
 * Returns the models that have no other key: their serials can no longer be signed. Throws `invalid-field` if there
 * is no such key, and, without `force`, if there are such models: the message names them.
 */
export async function disableSigningKey(
  { keyId, force }: { readonly keyId: string; readonly force: boolean },
  deps: BrandDeps,
): Promise<readonly string[]> {
  const key = (await deps.brands.keys()).find((one) => one.keyId === keyId)
  if (key === undefined) {
    throw invalidField(
      `There is no signing key ${keyId.slice(0, 64)}. \`ratafia signing-keys list\` shows them.`,
    )
  }
  if (key.disabledAt !== null) throw invalidField(`The signing key ${keyId} is already disabled.`)
  const stopped = await modelsNeeding(keyId, deps)
  if (stopped.length > 0 && !force) {
    throw invalidField(
      `Without it, serials of ${stopped.join(', ')} could not be signed. Add another key first, or disable it anyway with --force.`,
    )
  }
  await deps.change(async ({ brands, record }) => {
    if (!(await brands.disableKey(keyId, deps.clock()))) return
    const details = { account: key.accountId, stopped }
    await record({ action: 'signing-key.disable', subject: keyId, details })
  })
  return stopped
}

/** The models whose serials can be signed now, but not without the key. */
async function modelsNeeding(keyId: string, deps: BrandDeps): Promise<readonly string[]> {
  const without = {
    keys: async (accountId?: string) =>
      (await deps.brands.keys(accountId)).filter((key) => key.keyId !== keyId),
  }
  const stopped: string[] = []
  for (const model of await deps.models.list()) {
    if ((await canSign(model, deps)) && !(await canSign(model, { ...deps, brands: without }))) {
      stopped.push(showModelName(model))
    }
  }
  return stopped
}

const canSign = async (model: ModelName, deps: SignerDeps): Promise<boolean> =>
  !('fault' in (await signerOrFault(model, deps)))
