/**
 * Removes an agent: it can no longer log in, and no login of its account that has not been used opens anything, because
 * it may be this agent's. Its tokens stay valid until they are revoked.
 */
import type { Account } from '../../accounts/account.ts'
import { requireMayManage } from '../../accounts/administration/may-manage.ts'
import { findAccount } from '../../accounts/find.ts'
import { type Authority, requireForAll } from '../../authority.ts'
import { noSuchRecord } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { isAgentName } from './agent-name.ts'
import type { Agent } from './agent-store.ts'
import { ownId } from './list-agents.ts'

export interface RemovedAgent {
  /** As the database has it: an agent whose limits nobody can read is removed like any other. */
  readonly agent: Agent
  readonly account: Account
}

interface Removal {
  readonly name: string
  /** Its account, by id or username. Undefined: whichever it is. */
  readonly account?: string | undefined
  /** Only if it is one's own, which takes no permission. */
  readonly own?: boolean
  readonly authority: Authority
  /** Throws `version-mismatch` for an agent that is not what the caller has seen. */
  readonly mustBeSeen?: ((now: RemovedAgent) => void) | undefined
}

/**
 * Returns what was removed. Throws {@link RequestError}: as `requireMayManage`, `no-such-record` in the same words for an
 * agent of another account, what `mustBeSeen` throws.
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
