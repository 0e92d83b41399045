/** Remembers agents that can log in, while the node receives every change of them and of their accounts. */
import { type CacheFreshness, createMemory } from '../../database/index.ts'
import type { EnabledAgent, RememberedAgents } from './enabled-agent.ts'

export const rememberedAgents = (freshness: CacheFreshness): RememberedAgents =>
  createMemory<EnabledAgent>(freshness, {
    name: 'agent',
    dependsOn: ({ agent, account }) => [
      { kind: 'agent', id: agent.name },
      { kind: 'account', id: account.id },
    ],
  })
