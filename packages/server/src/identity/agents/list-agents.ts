/** Lists agents by name, a page at a time. */
import type { Account } from '../../accounts/account.ts'
import { findAccount } from '../../accounts/find.ts'
import { type Authority, ownId, requireForAll } from '../../authority.ts'
import { type Page, type Paging, pageOf } from '../../page.ts'
import type { TransactionStores } from '../../stores.ts'
import { parseLimits, type WithLimits } from './agent-limits.ts'
import type { Agent } from './agent-store.ts'

type ListedAgent = WithLimits<Agent> & { readonly account: Account }

interface Listing extends Paging<string> {
  readonly account?: string | undefined
  readonly own?: boolean
  readonly authority: Authority
}

/**
 * Lists all agents, those of one account (by username or id), or the caller's own, which requires no
 * permission. Throws `permission-denied` and `no-such-record`.
 */
export async function listAgents(
  { account: nameOrId, own = false, after, limit, authority }: Listing,
  stores: TransactionStores,
): Promise<Page<ListedAgent>> {
  if (!own) requireForAll(authority, 'accounts:read')
  const named = own ? ownId(authority) : nameOrId
  const only = named === undefined ? undefined : await findAccount(named, stores)
  const { rows, next } = await pageOf(limit, (most) =>
    stores.agents.page({ accountId: only?.id, after, limit: most }),
  )
  const accounts = new Map<string, Account>(only && [[only.id, only]])
  const agents: ListedAgent[] = []
  for (const agent of rows) {
    const account = accounts.get(agent.accountId) ?? (await findAccount(agent.accountId, stores))
    accounts.set(account.id, account)
    agents.push({ ...agent, limits: parseLimits(agent.limits), account })
  }
  return { rows: agents, next: next && agents.at(-1) }
}

interface Shown extends Pick<ListedAgent, 'name' | 'publicKey' | 'limits' | 'createdAt'> {
  readonly account: Pick<Account, 'username'>
}

/** The record of an agent that the API, `--json` and exports show. A limit is null if there is none. */
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
