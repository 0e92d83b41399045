/** Revokes a key. Devices can no longer register with it; those that did stay registered. */
import { requireForBrand } from '../../../authority.ts'
import type { Stores } from '../../../stores.ts'
import { showModelName } from '../model-policy.ts'
import type { ApiKey } from './api-key.ts'
import { type NamedApiKey, noSuchApiKey, seenApiKey } from './list-api-keys.ts'

interface Revocation extends NamedApiKey {
  /** Throws `version-mismatch` if the key differs from the state that the caller has seen. */
  readonly mustBeSeen?: ((now: ApiKey) => void) | undefined
}

/**
 * A second revocation keeps the time of the first. Throws {@link RequestError} as `seenApiKey` does,
 * `permission-denied`, and the errors of `mustBeSeen`.
 */
export async function revokeApiKey({ mustBeSeen, ...named }: Revocation, stores: Stores): Promise<ApiKey> {
  const { authority } = named
  const { id, brandId } = await seenApiKey(named, stores)
  requireForBrand(authority, 'models:manage', brandId)
  return stores.changeBy(authority.author)(async ({ apiKeys, record }) => {
    const now = await apiKeys.lock(id)
    if (now) mustBeSeen?.(now)
    const revoked = await apiKeys.revoke(id, stores.clock())
    if (!revoked) throw noSuchApiKey(id)
    if (revoked.first) {
      await record({ action: 'api-key.revoke', subject: id, details: { model: showModelName(revoked.key) } })
    }
    return revoked.key
  })
}
