/** A signing key as the API, `--json` and exports show it: its public half. Times are RFC 3339 in UTC. */
import type { SigningKeyDescription } from './list-signing-keys.ts'

export const signingKeyRecord = (key: SigningKeyDescription) => ({
  account_id: key.accountId,
  name: key.name ?? null,
  state: key.disabledAt
    ? ('disabled' as const)
    : key.fault === undefined
      ? ('signs' as const)
      : ('does not fit' as const),
  since: key.since?.toISOString() ?? null,
  until: key.until?.toISOString() ?? null,
  added_at: key.addedAt.toISOString(),
  disabled_at: key.disabledAt?.toISOString() ?? null,
  fault: key.fault ?? null,
  key_id: key.keyId,
})
