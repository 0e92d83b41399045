/** Creates or imports a key that lets devices of a model register. Once a model has had a key, it requires one. */
import { randomBytes } from 'node:crypto'
import type { Authority } from '../../../authority.ts'
import { invalidField } from '../../../errors.ts'
import type { Stores } from '../../../stores.ts'
import { managedModel, type NamedModel, noSuchModel } from '../find-model.ts'
import { showModelName } from '../model-policy.ts'
import { type ApiKey, hashApiKey, isForeignApiKey, newApiKey } from './api-key.ts'

interface NewApiKey extends NamedModel {
  readonly label: string
  readonly expiresAt: Date | null
  readonly useLimit: number | null
}

/** Returns the text of the key, which is stored nowhere. Throws `invalid-field`, and as `managedModel` does. */
export async function addApiKey(
  { model: name, authority, label, expiresAt, useLimit }: NewApiKey,
  stores: Stores,
): Promise<{ readonly key: ApiKey; readonly text: string }> {
  const { brandId, model } = await managedModel({ model: name, authority }, stores)
  const now = stores.clock()
  if (label.trim() === '' || label.length > 200 || /[\p{Cc}\p{Cs}]/u.test(label)) {
    throw invalidField('A label has 1 to 200 characters, on one line.', { field: 'label' })
  }
  if (expiresAt && expiresAt <= now)
    throw invalidField('The key would have expired already. Give a later time.')
  if (useLimit !== null && !(Number.isInteger(useLimit) && useLimit >= 1 && useLimit <= 2_000_000_000)) {
    throw invalidField('A key can be used 1 to 2000000000 times.')
  }
  const text = newApiKey()
  const hash = hashApiKey(text, { brandId, model })
  if (!hash) throw new TypeError('a new key must be one of ours')
  const added = { brandId, model, label, createdAt: now, expiresAt, useLimit }
  return { key: await storeApiKey({ added, hash, authority }, stores), text }
}

interface CheckedApiKey {
  readonly added: Pick<ApiKey, 'brandId' | 'model' | 'label' | 'createdAt' | 'expiresAt' | 'useLimit'>
  readonly hash: Uint8Array
  /** The authority of a caller who can manage the model. */
  readonly authority: Authority
}

async function storeApiKey({ added, hash, authority }: CheckedApiKey, { changeBy }: Stores): Promise<ApiKey> {
  const id = randomBytes(6).toString('hex')
  const key: ApiKey = { ...added, id, uses: 0, lastUsedAt: null, revokedAt: null }
  await changeBy(authority.author)(async ({ models, apiKeys, record }) => {
    // Without the lock, the key could be added after the model was removed.
    if (!(await models.hold(key))) throw noSuchModel(key)
    await apiKeys.add(key, hash)
    const expires = key.expiresAt?.toISOString() ?? null
    const details = { model: showModelName(key), label: key.label, expires, uses: key.useLimit }
    await record({ action: 'api-key.add', subject: id, details })
  })
  return key
}

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
