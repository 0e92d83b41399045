/** Makes a key that lets devices of a model register. From the first on, the model requires one. */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { ApiKey } from './api-key.ts'
import { hashApiKey, newApiKey } from './api-key.ts'
import type { ApiKeyStore } from './api-key-store.ts'
import { refused } from './assertion-file.ts'
import { findModel, type ModelDeps } from './find-model.ts'
import type { ModelName } from './model-policy.ts'

export interface ApiKeyDeps extends ModelDeps {
  readonly apiKeys: ApiKeyStore
  readonly clock: Clock
}

interface NewApiKey {
  readonly model: ModelName
  readonly label: string
  readonly expiresAt: Date | null
  readonly useLimit: number | null
}

/** Returns the key's text: it is stored nowhere. Throws `invalid-field`. */
export async function addApiKey(
  { model: name, label, expiresAt, useLimit }: NewApiKey,
  deps: ApiKeyDeps,
): Promise<{ readonly key: ApiKey; readonly text: string }> {
  const { brandId, model } = await findModel(name, deps)
  const now = deps.clock()
  if (label.trim() === '' || label.length > 200) throw refused('A label has 1 to 200 characters.')
  if (expiresAt && expiresAt <= now) throw refused('The key would have expired already. Give a later time.')
  if (useLimit !== null && !(Number.isInteger(useLimit) && useLimit >= 1 && useLimit <= 2_000_000_000)) {
    throw refused('A key can be used 1 to 2000000000 times.')
  }
  const text = newApiKey()
  const hash = hashApiKey(text, { brandId, model })
  if (!hash) throw new TypeError('a new key has to be one of ours')
  const key: ApiKey = {
    id: randomBytes(6).toString('hex'),
    brandId,
    model,
    label,
    createdAt: now,
    expiresAt,
    useLimit,
    uses: 0,
    lastUsedAt: null,
    revokedAt: null,
  }
  await deps.apiKeys.add(key, hash)
  return { key, text }
}

/** Of one model or all. Throws `invalid-field` when there is no such model. */
export async function listApiKeys(
  model: ModelName | undefined,
  deps: ApiKeyDeps,
): Promise<readonly ApiKey[]> {
  if (model) await findModel(model, deps)
  return deps.apiKeys.list(model)
}

/** Revoked twice keeps the first time. Throws `invalid-field` when there is no such key. */
export async function revokeApiKey(id: string, { apiKeys, clock }: ApiKeyDeps): Promise<ApiKey> {
  const key = await apiKeys.revoke(id, clock())
  if (key) return key
  throw refused(`There is no API key ${id.slice(0, 64)}. \`ratafia api-keys list\` shows their ids.`)
}
