/** One's own agents: who they are, and the end of one. Nobody makes one over the API (contract/administration.md, B11). */
import type { AccountStore } from '../../accounts/account-store.ts'
import type { Authority } from '../../authority.ts'
import type { ChangingBy } from '../../change.ts'
import type { Clock } from '../../clock.ts'
import { noSuchRecord } from '../../errors.ts'
import { parseLimits } from './agent-limits.ts'
import { isAgentName } from './agent-name.ts'
import type { Agent, AgentStore } from './agent-store.ts'
import type { ListedAgent } from './list-agents.ts'

export interface OwnAgentDeps {
  readonly agents: Pick<AgentStore, 'page' | 'find'>
  readonly changeBy: ChangingBy<{ readonly agents: AgentStore; readonly accounts: AccountStore }>
  readonly clock: Clock
}

type OwnAgent = Omit<ListedAgent, 'account'> & { readonly account: { readonly username: string } }

/** By name. `next` is the name behind which the next page begins. */
export async function listOwnAgents(
  {
    authority,
    after,
    limit,
  }: { readonly authority: Authority; readonly after: string | undefined; readonly limit: number },
  { agents }: OwnAgentDeps,
): Promise<{ readonly agents: readonly OwnAgent[]; readonly next: string | undefined }> {
  // One more tells whether there is a next page.
  const found = await agents.page({ accountId: accountOf(authority), after, limit: limit + 1 })
  const page = found.slice(0, limit).map((agent) => ownAgent(agent, authority))
  return { agents: page, next: found.length > limit ? page.at(-1)?.name : undefined }
}

interface Removal {
  readonly name: string
  readonly authority: Authority
  /** Throws `version-mismatch` for an agent that is not what the caller has seen. */
  readonly mustBeSeen?: (now: OwnAgent) => void
}

/**
 * It can no longer log in, and no login of its account that has not been used opens anything, because it may be this
 * agent's. Returns what was removed. Throws {@link RequestError} `no-such-record`, in the same words for one of another
 * account; what `mustBeSeen` throws.
 */
export async function removeOwnAgent(
  { name, authority, mustBeSeen }: Removal,
  { changeBy, clock }: OwnAgentDeps,
): Promise<OwnAgent> {
  const accountId = accountOf(authority)
  return changeBy(authority.author)(async ({ agents, accounts, record }) => {
    const agent = isAgentName(name) ? await agents.find(name) : undefined
    if (agent?.accountId !== accountId) throw noSuchAgent(name)
    const own = ownAgent(agent, authority)
    mustBeSeen?.(own)
    if (!(await agents.remove(name))) throw noSuchAgent(name)
    await accounts.endLogins(accountId, clock())
    await record({ action: 'agent.remove', subject: name })
    return own
  })
}

function accountOf({ accountId }: Authority) {
  if (accountId === undefined) throw new TypeError('only an account has agents of its own')
  return accountId
}

const ownAgent = (agent: Agent, { by }: Authority): OwnAgent => ({
  ...agent,
  limits: parseLimits(agent.limits),
  account: { username: by },
})

const noSuchAgent = (name: string) =>
  noSuchRecord('You have no agent of this name.', { kind: 'agent', id: name })
