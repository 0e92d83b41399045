/** An API key as the API, `--json` and exports show it: without its text. Times are RFC 3339 in UTC. */
import { showModelName } from '../model-policy.ts'
import type { ApiKey } from './api-key.ts'

export const apiKeyRecord = (key: ApiKey) => ({
  id: key.id,
  model: showModelName(key),
  label: key.label,
  uses: key.uses,
  use_limit: key.useLimit,
  created_at: key.createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString() ?? null,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
})
