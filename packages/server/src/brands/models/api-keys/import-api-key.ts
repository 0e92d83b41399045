/** Imports an API key that devices already have from another service. */
import { invalidField } from '../../../errors.ts'
import type { Stores } from '../../../stores.ts'
import { managedModel, type NamedModel } from '../find-model.ts'
import { storeApiKey } from './add-api-key.ts'
import { hashApiKey, isForeignApiKey } from './api-key.ts'

interface KnownApiKey extends NamedModel {
  readonly label: string
  readonly text: string
  /** Reports what would be done, and changes nothing. */
  readonly dryRun: boolean
}

/**
 * Stores its hash; it is valid until it is revoked. False if it is stored already, revoked or not. Throws as
 * `managedModel`, and `invalid-field` if the text cannot be a key.
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
