/** Makes a key that lets devices of a model register. From the first on, the model requires one. */
import { randomBytes } from 'node:crypto'
import type { Changing, Recording } from '../../../change.ts'
import type { Clock } from '../../../clock.ts'
import { refused } from '../../assertion-file.ts'
import { findModel, type ModelDeps } from '../find-model.ts'
import { type ModelName, showModelName } from '../model-policy.ts'
import type { ApiKey } from './api-key.ts'
import { hashApiKey, newApiKey } from './api-key.ts'
import type { ApiKeyStore } from './api-key-store.ts'

export interface ApiKeyDeps extends ModelDeps {
  readonly apiKeys: ApiKeyStore
  readonly change: Changing<{ readonly apiKeys: ApiKeyStore }>
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
  await deps.change(({ apiKeys, record }) => storeApiKey(key, hash, { apiKeys, record }))
  return { key, text }
}

/** On the transaction of a change. */
export async function storeApiKey(
  key: ApiKey,
  hash: Uint8Array,
  { apiKeys, record }: Recording & { readonly apiKeys: ApiKeyStore },
): Promise<void> {
  await apiKeys.add(key, hash)
  const expires = key.expiresAt?.toISOString() ?? null
  const details = { model: showModelName(key), label: key.label, expires, uses: key.useLimit }
  await record({ action: 'api-key.add', subject: key.id, details })
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
export async function revokeApiKey(id: string, { change, clock }: ApiKeyDeps): Promise<ApiKey> {
  const key = await change(async ({ apiKeys, record }) => {
    const revoked = await apiKeys.revoke(id, clock())
    if (revoked?.first) {
      await record({ action: 'api-key.revoke', subject: id, details: { model: showModelName(revoked.key) } })
    }
    return revoked?.key
  })
  if (key) return key
  throw refused(`There is no API key ${id.slice(0, 64)}. \`ratafia api-keys list\` shows their ids.`)
}
