/** One's own agents in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { undone } from '../../change.ts'
import type { AddManagementRoute } from '../../http/management/management-routes.ts'
import { cursorOf, positionIn } from '../../http/management/pages.ts'
import { agentRecord } from './agent-record.ts'
import { listOwnAgents, type OwnAgentDeps, removeOwnAgent } from './own-agents.ts'

export function ownAgentRoutes(add: AddManagementRoute, deps: OwnAgentDeps): void {
  const api = MANAGEMENT_OPERATIONS

  add(api.myAgents, async ({ authority, query }) => {
    const [after] = positionIn(query, 1) ?? []
    const { agents, next } = await listOwnAgents({ authority, after, limit: query.limit ?? 100 }, deps)
    return { agents: agents.map(agentRecord), next: next === undefined ? null : cursorOf([next], query) }
  })

  add(api.removeMyAgent, async ({ authority, parameters, dryRun, ifMatch }) => {
    const mustBeSeen = ifMatch && ((now: Parameters<typeof agentRecord>[0]) => ifMatch(agentRecord(now)))
    const removed = await removeOwnAgent(
      { name: parameters['id'] ?? '', authority, ...(mustBeSeen && { mustBeSeen }) },
      dryRun ? { ...deps, changeBy: undone(deps.changeBy) } : deps,
    )
    return agentRecord(removed)
  })
}
