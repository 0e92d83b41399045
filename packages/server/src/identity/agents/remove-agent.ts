/**
 * Removes an agent, which can then no longer log in. All unused logins of its account are invalidated,
 * because they can be this agent's. Its tokens stay valid until they are revoked.
 */
import type { Account } from '../../accounts/account.ts'
import { requireMayManage } from '../../accounts/administration/may-manage.ts'
import { findAccount } from '../../accounts/find.ts'
import { type Authority, ownId, requireForAll } from '../../authority.ts'
import { noSuchRecord } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { isAgentName } from './agent-name.ts'
import type { Agent } from './agent-store.ts'

export interface RemovedAgent {
  /** The agent as stored, because an agent with unreadable limits can be removed like any other. */
  readonly agent: Agent
  readonly account: Account
}

interface Removal {
  readonly name: string
  /** The id or username of its account. Undefined for any account. */
  readonly account?: string | undefined
  /** Removes only an agent of the caller, which requires no permission. */
  readonly own?: boolean
  readonly authority: Authority
  /** Throws `version-mismatch` if the agent differs from what the caller has seen. */
  readonly mustBeSeen?: ((now: RemovedAgent) => void) | undefined
}

/**
 * Removes the agent and returns it. Throws {@link RequestError} as `requireMayManage` does; `no-such-record`,
 * with the same message for an agent of another account; and whatever `mustBeSeen` throws.
 */
export async function removeAgent(
  { name, account, own = false, authority, mustBeSeen }: Removal,
  stores: Stores,
): Promise<RemovedAgent> {
  if (!own) requireForAll(authority, 'accounts:manage')
  const accountId = own ? ownId(authority) : account && (await findAccount(account, stores)).id
  return stores.changeBy(authority.author)(async (on) => {
    const { agents, record } = on
    const agent = isAgentName(name) ? await agents.find(name) : undefined
    if (!agent || agent.accountId !== (accountId ?? agent.accountId)) throw noSuchAgent(name)
    const owner = await findAccount(agent.accountId, on)
    if (!own) await requireMayManage({ authority, account: owner }, on, stores.clock())
    const removed = { agent, account: owner }
    mustBeSeen?.(removed)
    if (!(await agents.remove(name))) throw noSuchAgent(name)
    await on.accounts.endLogins(owner.id, stores.clock())
    await record({ action: 'agent.remove', subject: name })
    return removed
  })
}

export const noSuchAgent = (name: string) =>
  noSuchRecord(`There is no agent ${JSON.stringify(name.slice(0, 64))}.`, { kind: 'agent', id: name })
