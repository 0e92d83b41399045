/** Removes an agent: it can no longer log in. Its tokens stay valid until they are revoked. */
import type { Changing } from '../../change.ts'
import { invalidField } from '../../errors.ts'
import type { AgentStore } from './agent-store.ts'

/** Throws `invalid-field` when there is no such agent. */
export async function removeAgent(
  name: string,
  { change }: { readonly change: Changing<{ readonly agents: AgentStore }> },
): Promise<void> {
  const removed = await change(async ({ agents, record }) => {
    const there = await agents.remove(name)
    if (there) await record({ action: 'agent.remove', subject: name })
    return there
  })
  if (removed) return
  throw invalidField(`There is no agent ${JSON.stringify(name.slice(0, 64))}.`, { field: 'name' })
}
