/** Removes an agent: its key opens nothing from now on. Tokens it got before stay until they are revoked. */
import type { Changing } from '../../change.ts'
import { RequestError } from '../../errors.ts'
import type { AgentStore } from './agent-store.ts'

interface RemoveAgentDeps {
  readonly change: Changing<{ readonly agents: Pick<AgentStore, 'remove'> }>
}

/** Throws `invalid-field` when there is no such agent. */
export async function removeAgent(name: string, { change }: RemoveAgentDeps): Promise<void> {
  const removed = await change(async ({ agents, record }) => {
    const there = await agents.remove(name)
    if (there) await record({ action: 'agent.remove', subject: name })
    return there
  })
  if (removed) return
  throw new RequestError('invalid-field', `There is no agent ${JSON.stringify(name.slice(0, 64))}.`, {
    extra: { field: 'name' },
  })
}
