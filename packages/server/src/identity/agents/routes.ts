/** The agents of an account in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { undone } from '../../change.ts'
import type { AddManagementRoute } from '../../http/management/management-routes.ts'
import { cursorOf, positionIn } from '../../http/management/pages.ts'
import { parseLimits } from './agent-limits.ts'
import { agentRecord } from './agent-record.ts'
import { listAgents } from './list-agents.ts'
import { type RemovedAgent, removeAgent } from './remove-agent.ts'

type AgentRouteDeps = Parameters<typeof listAgents>[1] & Parameters<typeof removeAgent>[1]

export function agentManagementRoutes(add: AddManagementRoute, deps: AgentRouteDeps): void {
  const api = MANAGEMENT_OPERATIONS
  add(api.accountAgents, async ({ parameters, authority, query }) => {
    const { id: account } = parameters
    const { limit = 100 } = query
    const [after] = positionIn(query, 1) ?? []
    const { agents, next } = await listAgents({ account, authority, after, limit }, deps)
    return { agents: agents.map(agentRecord), next: next === undefined ? null : cursorOf([next], query) }
  })

  add(api.removeAgent, async ({ parameters, authority, ifMatch, dryRun }) => {
    const { id: account, name = '' } = parameters
    const mustBeSeen = ifMatch && ((now: RemovedAgent) => ifMatch(recordOf(now)))
    const tried = dryRun ? { ...deps, changeBy: undone(deps.changeBy) } : deps
    return recordOf(await removeAgent({ account, name, authority, mustBeSeen }, tried))
  })
}

const recordOf = ({ agent, account }: RemovedAgent) =>
  agentRecord({ ...agent, limits: parseLimits(agent.limits), account })
