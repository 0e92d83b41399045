/** An agent as the management API, `--json` and exports show it. */
import type { ListedAgent } from './list-agents.ts'

type Shown = Pick<ListedAgent, 'name' | 'publicKey' | 'limits' | 'createdAt'> & {
  readonly account: { readonly username: string }
}

/** Null where nothing is limited. The time is RFC 3339 in UTC. */
export function agentRecord({ name, account, publicKey, limits, createdAt }: Shown) {
  const { permissions, channels, packages, storeIds, maxLifetime } = limits
  return {
    name,
    account: account.username,
    public_key: Buffer.from(publicKey).toString('base64'),
    limits: {
      ...{ permissions, channels, packages, store_ids: storeIds },
      max_lifetime_seconds: maxLifetime === null ? null : maxLifetime / 1000,
    },
    created_at: createdAt.toISOString(),
  }
}
