/** Removes an agent: its key opens nothing from now on. Tokens it got before stay until they are revoked. */
import { RequestError } from '../errors.ts'
import type { AgentStore } from './agent-store.ts'

/** Throws `invalid-field` when there is no such agent. */
export async function removeAgent(name: string, { agents }: { readonly agents: AgentStore }): Promise<void> {
  if (await agents.remove(name)) return
  throw new RequestError('invalid-field', `There is no agent ${JSON.stringify(name.slice(0, 64))}.`, {
    extra: { field: 'name' },
  })
}
