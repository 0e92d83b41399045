/** The record of an agent that the API, `--json` and exports show. Times are RFC 3339 in UTC. */
import type { AgentLimits } from './agent-limits.ts'

interface Shown {
  readonly name: string
  readonly account: { readonly username: string }
  readonly publicKey: Uint8Array
  readonly limits: AgentLimits
  readonly createdAt: Date
}

/** Returns the record. A limit is null if there is none. */
export const agentRecord = ({ name, account, publicKey, limits, createdAt }: Shown) => ({
  name,
  account: account.username,
  public_key: Buffer.from(publicKey).toString('base64'),
  limits: {
    permissions: limits.permissions,
    channels: limits.channels,
    packages: limits.packages,
    store_ids: limits.storeIds,
    max_lifetime_seconds: limits.maxLifetime === null ? null : limits.maxLifetime / 1000,
  },
  created_at: createdAt.toISOString(),
})
