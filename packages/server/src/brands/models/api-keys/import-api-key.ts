/** Imports an API key that devices already have from another service. */
import { invalidField } from '../../../errors.ts'
import type { Stores } from '../../../stores.ts'
import { managedModel, type NamedModel } from '../find-model.ts'
import { storeApiKey } from './add-api-key.ts'
import { hashApiKey, isForeignApiKey } from './api-key.ts'

interface KnownApiKey extends NamedModel {
  readonly label: string
  readonly text: string
  /** Whether to only report what would be done, and change nothing. */
  readonly dryRun: boolean
}

/**
 * Stores the key's hash. The key is valid until it is revoked. Returns false if it is already stored, revoked
 * or not. Throws as `managedModel` does, and `invalid-field` if the text can't be a key.
 */
export async function importApiKey(
  { model: name, authority, label, text, dryRun }: KnownApiKey,
  stores: Stores,
): Promise<boolean> {
  const { brandId, model } = await managedModel({ model: name, authority }, stores)
  const hash = isForeignApiKey(text) ? hashApiKey(text, { brandId, model }) : undefined
  if (!hash) {
    throw invalidField(
      'The API key does not have 10 to 200 printable characters. Create another with `ratafia api-keys add`.',
    )
  }
  if (await stores.apiKeys.findByHash(hash)) return false
  if (dryRun) return true
  const added = { brandId, model, label, createdAt: stores.clock(), expiresAt: null, useLimit: null }
  await storeApiKey({ added, hash, authority }, stores)
  return true
}
