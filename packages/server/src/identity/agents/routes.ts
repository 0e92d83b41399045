/** The agents of an account, and of the caller, in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { tried } from '../../change.ts'
import type { AddManagementRoute, Asked } from '../../http/management/management-route.ts'
import { cursorOf, positionIn } from '../../http/management/pages.ts'
import type { Stores } from '../../stores.ts'
import { parseLimits } from './agent-limits.ts'
import { agentRecord, listAgents } from './list-agents.ts'
import { type RemovedAgent, removeAgent } from './remove-agent.ts'

export function agentManagementRoutes(add: AddManagementRoute, stores: Stores): void {
  const api = MANAGEMENT_OPERATIONS

  add(api.accountAgents, (asked) => listed({ account: asked.parameters['id'] }, asked))
  add(api.myAgents, (asked) => listed({ own: true }, asked))
  add(api.removeAgent, (asked) => {
    const { id: account, name = '' } = asked.parameters
    return removed({ account, name }, asked)
  })
  add(api.removeMyAgent, (asked) => removed({ own: true, name: asked.parameters['id'] ?? '' }, asked))

  const listed = async (
    whose: { readonly account?: string | undefined; readonly own?: true },
    { authority, query }: Asked<typeof api.myAgents>,
  ) => {
    const { limit = 100 } = query
    const [after] = positionIn(query, 1) ?? []
    const { rows, next } = await listAgents({ ...whose, authority, after, limit }, stores)
    return { agents: rows.map(agentRecord), next: cursorOf(next && [next.name], query) }
  }

  const removed = async (
    which: { readonly name: string; readonly account?: string | undefined; readonly own?: true },
    { authority, ifMatch, dryRun }: Pick<Asked<typeof api.removeMyAgent>, 'authority' | 'ifMatch' | 'dryRun'>,
  ) => {
    const mustBeSeen = ifMatch && ((now: RemovedAgent) => ifMatch(recordOf(now)))
    return recordOf(await removeAgent({ ...which, authority, mustBeSeen }, tried({ dryRun }, stores)))
  }
}

const recordOf = ({ agent, account }: RemovedAgent) =>
  agentRecord({ ...agent, limits: parseLimits(agent.limits), account })
