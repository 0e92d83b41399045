/** Agents that may log in, remembered while the node hears of every change of them and of their accounts. */
import { type ChangeFeed, createMemory } from '../../database/index.ts'
import type { EnabledAgent, RememberedAgents } from './enabled-agent.ts'

export const rememberedAgents = (feed: ChangeFeed): RememberedAgents =>
  createMemory<EnabledAgent>(feed, {
    name: 'agent',
    dependsOn: ({ agent, account }) => [
      { kind: 'agent', id: agent.name },
      { kind: 'account', id: account.id },
    ],
  })
