/** Lists agents sorted by name, a page at a time. */

import type { AccountId } from '@ratafia/api'
import type { Account } from '../../accounts/account.ts'
import { findAccount } from '../../accounts/find.ts'
import { type Authority, requireForAll } from '../../authority.ts'
import { pageOf } from '../../page.ts'
import type { TransactionStores } from '../../stores.ts'
import { parseLimits, type WithLimits } from './agent-limits.ts'
import type { Agent } from './agent-store.ts'

type ListedAgent = WithLimits<Agent> & { readonly account: Account }

export interface AgentPage {
  readonly agents: readonly ListedAgent[]
  /** The `after` of the next page; absent on the last page. */
  readonly next: string | undefined
}

const MAX_AGENTS_PER_PAGE = 1000

/**
 * All agents, or those of one account (username or id), or one's own, which takes no permission. Throws
 * `permission-denied`, and `no-such-record`.
 */
export async function listAgents(
  input: {
    readonly account?: string | undefined
    readonly own?: boolean
    readonly after?: string | undefined
    readonly limit?: number
    readonly authority: Authority
  },
  deps: TransactionStores,
): Promise<AgentPage> {
  const { authority, own = false } = input
  if (!own) requireForAll(authority, 'accounts:read')
  const named = own ? ownId(authority) : input.account
  const only = named === undefined ? undefined : await findAccount(named, deps)
  const size = Math.min(Math.max(1, input.limit ?? 100), MAX_AGENTS_PER_PAGE)
  const { rows, next } = await pageOf(size, (limit) =>
    deps.agents.page({ accountId: only?.id, after: input.after, limit }),
  )
  const accounts = new Map<string, Account>(only && [[only.id, only]])
  const agents: ListedAgent[] = []
  for (const agent of rows) {
    const account = accounts.get(agent.accountId) ?? (await findAccount(agent.accountId, deps))
    accounts.set(account.id, account)
    agents.push({ ...agent, limits: parseLimits(agent.limits), account })
  }
  return { agents, next: next?.name }
}

/** The account of somebody who logged in. */
export function ownId({ accountId }: Authority): AccountId {
  if (accountId === undefined) throw new TypeError('only an account has agents of its own')
  return accountId
}
