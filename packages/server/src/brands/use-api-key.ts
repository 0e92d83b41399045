/** Whether the `api-key` of a registration holds, and the count of its uses. */
import type { Clock } from '../clock.ts'
import type { ApiKey } from './api-key.ts'
import { hashApiKey } from './api-key.ts'
import type { ApiKeyStore } from './api-key-store.ts'
import type { ModelName } from './model-policy.ts'

/** `key` is undefined where the model requires none. A refusal is one sentence for the device's log. */
export type ApiKeyVerdict =
  | { readonly accepted: true; readonly key: ApiKey | undefined }
  | { readonly accepted: false; readonly message: string }

interface UseApiKeyDeps {
  readonly apiKeys: Pick<ApiKeyStore, 'use' | 'findByHash' | 'isRequired'>
  readonly clock: Clock
}

/**
 * Counts one use of the key, however many come at once. A model that never had a key takes anybody, whatever
 * key they show. Whoever asks turns a refusal into 401; it does not say more than the caller knows:
 * a key of another model is as unknown as none.
 */
export async function useApiKey(
  { text, model }: { readonly text: string | undefined; readonly model: ModelName },
  { apiKeys, clock }: UseApiKeyDeps,
): Promise<ApiKeyVerdict> {
  const now = clock()
  const hash = text === undefined ? undefined : hashApiKey(text)
  const used = hash && (await apiKeys.use(hash, model, now))
  if (used) return { accepted: true, key: used }
  if (!(await apiKeys.isRequired(model))) return { accepted: true, key: undefined }
  if (text === undefined) return refusal('This model needs an API key. Set the header api-key.')
  const known = hash && (await apiKeys.findByHash(hash))
  return refusal(known && isOf(known, model) ? reason(known, now) : 'The API key is not one of this model.')
}

function reason({ revokedAt, expiresAt, useLimit, uses }: ApiKey, now: Date): string {
  if (revokedAt) return 'The API key is revoked. Ask for another.'
  if (expiresAt && expiresAt <= now) return 'The API key has expired. Ask for another.'
  if (useLimit !== null && uses >= useLimit)
    return `The API key was used ${useLimit} times, as often as it may be.`
  // It held between the two looks; the retry will tell.
  return 'The API key does not hold. Try again.'
}

const isOf = (key: ModelName, model: ModelName): boolean =>
  key.brandId === model.brandId && key.model === model.model

const refusal = (message: string): ApiKeyVerdict => ({ accepted: false, message })
