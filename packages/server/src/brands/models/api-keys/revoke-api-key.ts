/** Revokes a key: nobody registers with it any more, and who did stays registered. */
import type { Changing } from '../../../change.ts'
import type { Clock } from '../../../clock.ts'
import { invalidField } from '../../../errors.ts'
import { showModelName } from '../model-policy.ts'
import type { ApiKey } from './api-key.ts'
import type { ApiKeyStore } from './api-key-store.ts'

interface RevokeDeps {
  readonly change: Changing<{ readonly apiKeys: Pick<ApiKeyStore, 'revoke'> }>
  readonly clock: Clock
}

/** A second revocation keeps the time of the first. Throws `invalid-field` if there is no such key. */
export async function revokeApiKey(id: string, { change, clock }: RevokeDeps): Promise<ApiKey> {
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
