/** Revokes a key: devices can no longer register with it; those that did stay registered. */
import { invalidField } from '../../../errors.ts'
import type { BrandDeps } from '../../brand-deps.ts'
import { showModelName } from '../model-policy.ts'
import type { ApiKey } from './api-key.ts'

/** A second revocation keeps the time of the first. Throws `invalid-field` if there is no such key. */
export async function revokeApiKey(
  id: string,
  { change, clock }: Pick<BrandDeps, 'change' | 'clock'>,
): Promise<ApiKey> {
  const key = await change(async ({ apiKeys, record }) => {
    const revoked = await apiKeys.revoke(id, clock())
    if (revoked?.first) {
      await record({ action: 'api-key.revoke', subject: id, details: { model: showModelName(revoked.key) } })
    }
    return revoked?.key
  })
  if (key) return key
  throw invalidField(`There is no API key ${id.slice(0, 64)}. \`ratafia api-keys list\` shows their ids.`)
}
