/** Imports an API key that devices already have from another service. */
import { invalidField } from '../../../errors.ts'
import type { BrandDeps } from '../../brand-deps.ts'
import { findModel } from '../find-model.ts'
import type { ModelName } from '../model-policy.ts'
import { storeApiKey } from './add-api-key.ts'
import { hashApiKey, isForeignApiKey } from './api-key.ts'

export type ImportApiKeyDeps = Pick<BrandDeps, 'models' | 'apiKeys' | 'change' | 'clock'>

interface KnownApiKey {
  readonly model: ModelName
  readonly label: string
  readonly text: string
  /** Reports what would be done, and changes nothing. */
  readonly dryRun: boolean
}

/**
 * Stores its hash; it is valid until it is revoked. False if it is stored already, revoked or not. Throws
 * `invalid-field` if there is no such model, or the text cannot be a key.
 */
export async function importApiKey(
  { model: name, label, text, dryRun }: KnownApiKey,
  deps: ImportApiKeyDeps,
): Promise<boolean> {
  const { brandId, model } = await findModel(name, deps)
  const hash = isForeignApiKey(text) ? hashApiKey(text, { brandId, model }) : undefined
  if (!hash) {
    throw invalidField(
      'The API key does not have 10 to 200 printable characters. Create another with `ratafia api-keys add`.',
    )
  }
  if (await deps.apiKeys.findByHash(hash)) return false
  if (dryRun) return true
  const added = { brandId, model, label, createdAt: deps.clock(), expiresAt: null, useLimit: null }
  await storeApiKey(added, hash, deps)
  return true
}
