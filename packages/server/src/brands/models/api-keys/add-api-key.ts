/** Creates a key that lets devices of a model register. Once a model has had a key, it requires one. */
import { randomBytes } from 'node:crypto'
import { invalidField } from '../../../errors.ts'
import type { BrandDeps } from '../../brand-deps.ts'
import { findModel } from '../find-model.ts'
import { type ModelName, showModelName } from '../model-policy.ts'
import { type ApiKey, hashApiKey, newApiKey } from './api-key.ts'

interface NewApiKey {
  readonly model: ModelName
  readonly label: string
  readonly expiresAt: Date | null
  readonly useLimit: number | null
}

/** Returns the text of the key, which is stored nowhere. Throws `invalid-field`. */
export async function addApiKey(
  { model: name, label, expiresAt, useLimit }: NewApiKey,
  deps: Pick<BrandDeps, 'models' | 'change' | 'clock'>,
): Promise<{ readonly key: ApiKey; readonly text: string }> {
  const { brandId, model } = await findModel(name, deps)
  const now = deps.clock()
  if (label.trim() === '' || label.length > 200) throw invalidField('A label has 1 to 200 characters.')
  if (expiresAt && expiresAt <= now)
    throw invalidField('The key would have expired already. Give a later time.')
  if (useLimit !== null && !(Number.isInteger(useLimit) && useLimit >= 1 && useLimit <= 2_000_000_000)) {
    throw invalidField('A key can be used 1 to 2000000000 times.')
  }
  const text = newApiKey()
  const hash = hashApiKey(text, { brandId, model })
  if (!hash) throw new TypeError('a new key must be one of ours')
  const added = { brandId, model, label, createdAt: now, expiresAt, useLimit }
  return { key: await storeApiKey(added, hash, deps), text }
}

export async function storeApiKey(
  added: Pick<ApiKey, 'brandId' | 'model' | 'label' | 'createdAt' | 'expiresAt' | 'useLimit'>,
  hash: Uint8Array,
  { change }: Pick<BrandDeps, 'change'>,
): Promise<ApiKey> {
  const id = randomBytes(6).toString('hex')
  const key: ApiKey = { ...added, id, uses: 0, lastUsedAt: null, revokedAt: null }
  await change(async ({ apiKeys, record }) => {
    await apiKeys.add(key, hash)
    const expires = key.expiresAt?.toISOString() ?? null
    const details = { model: showModelName(key), label: key.label, expires, uses: key.useLimit }
    await record({ action: 'api-key.add', subject: id, details })
  })
  return key
}
