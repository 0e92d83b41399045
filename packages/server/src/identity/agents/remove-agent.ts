/**
 * Removes an agent: it can no longer log in, and no login of its account that has not been used opens anything, because
 * it may be this agent's. Its tokens stay valid until they are revoked.
 */
import type { AccountStore } from '../../accounts/account-store.ts'
import type { Changing } from '../../change.ts'
import type { Clock } from '../../clock.ts'
import { invalidField } from '../../errors.ts'
import type { AgentStore } from './agent-store.ts'

/** Throws `invalid-field` when there is no such agent. */
export async function removeAgent(
  name: string,
  {
    change,
    clock,
  }: {
    readonly change: Changing<{ readonly agents: AgentStore; readonly accounts: AccountStore }>
    readonly clock: Clock
  },
): Promise<void> {
  const removed = await change(async ({ agents, accounts, record }) => {
    const agent = await agents.find(name)
    if (!agent || !(await agents.remove(name))) return false
    await accounts.endLogins(agent.accountId, clock())
    await record({ action: 'agent.remove', subject: name })
    return true
  })
  if (removed) return
  throw invalidField(`There is no agent ${JSON.stringify(name.slice(0, 64))}.`, { field: 'name' })
}
