/** Checks whether the `api-key` of a registration is valid, or expired, revoked, or used up. Counts its uses. */
import type { TransactionStores } from '../../../stores.ts'
import type { ModelName } from '../model-policy.ts'
import { type ApiKey, hashApiKey } from './api-key.ts'

/** `key` is undefined if the model doesn't require one. A refusal is one sentence for the device's log. */
export type ApiKeyVerdict =
  | { readonly accepted: true; readonly key: ApiKey | undefined }
  | { readonly accepted: false; readonly message: string }

interface ShownKey {
  /** The header as received. */
  readonly text: string | undefined
  readonly model: ModelName
}

/**
 * Counts one use of the key, even if many requests arrive at once. A model that never had a key accepts any
 * device, with any key. The caller turns a refusal into 401. It reveals nothing new: a key of a different
 * model looks the same as an unknown one.
 */
export async function useApiKey(
  { text, model }: ShownKey,
  stores: TransactionStores,
  now: Date,
): Promise<ApiKeyVerdict> {
  const hash = text === undefined ? undefined : hashApiKey(text, model)
  const used = hash && (await stores.apiKeys.use(hash, model, now))
  if (used) return { accepted: true, key: used }
  const verdict = await checkApiKey({ text, model }, stores, now)
  // The key became valid between the two queries, so the device can retry.
  return verdict.accepted && verdict.key ? refusal('The API key was not valid just now. Try again.') : verdict
}

/** Checks whether the key would be accepted now, without counting a use. */
export async function checkApiKey(
  { text, model }: ShownKey,
  { apiKeys }: TransactionStores,
  now: Date,
): Promise<ApiKeyVerdict> {
  const hash = text === undefined ? undefined : hashApiKey(text, model)
  const key = hash && (await apiKeys.findByHash(hash))
  if (key && key.brandId === model.brandId && key.model === model.model) {
    const why = whyNot(key, now)
    return why === undefined ? { accepted: true, key } : refusal(why)
  }
  if (!(await apiKeys.isRequired(model))) return { accepted: true, key: undefined }
  if (text === undefined) return refusal('This model requires an API key. Set the header api-key.')
  return refusal('The API key does not belong to this model.')
}

function whyNot({ revokedAt, expiresAt, useLimit, uses }: ApiKey, now: Date): string | undefined {
  if (revokedAt) return 'The API key is revoked. Ask the operator for another.'
  if (expiresAt && expiresAt <= now) return 'The API key has expired. Ask the operator for another.'
  if (useLimit === null || uses < useLimit) return undefined
  return `The API key was used ${useLimit} times, which is its limit.`
}

const refusal = (message: string): ApiKeyVerdict => ({ accepted: false, message })
