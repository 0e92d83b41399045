/**
 * An agent that the owner of a session in the console adds to their own account (contract/administration.md, B11). Only
 * the console does this, as with tokens: an agent's key is another way in.
 */
import { stateConflict } from '../../errors.ts'
import { type AddAgentDeps, type AgentsFile, addAgent } from '../../identity/agents/add-agent.ts'
import type { WantedLimits } from '../../identity/agents/agent-limits.ts'
import { agentRecord } from '../../identity/agents/agent-record.ts'
import { ownId } from '../../identity/agents/list-agents.ts'
import { packageReference } from '../../package-directory/package-reference.ts'
import type { TokenDependencies } from '../../tokens/dependencies.ts'
import type { ManagerAuthority } from '../tokens/manager.ts'
import { requireWholeToken } from '../tokens/require-whole-token.ts'

export interface OwnAgentInput {
  /** Of the session in the console. */
  readonly authority: ManagerAuthority
  readonly name: string
  /** The packages are names or snap ids. */
  readonly limits?: WantedLimits | undefined
}

export interface OwnAgentDeps extends Omit<AddAgentDeps, 'location'>, Pick<TokenDependencies, 'snapIds'> {
  /** Undefined where another identity service has the agents. */
  readonly identityLocation: string | undefined
}

/** Shown once: the private key in the file is stored nowhere. JSON takes it as it is. */
export interface OwnAgent {
  readonly agent: ReturnType<typeof agentRecord>
  readonly file: AgentsFile
}

/**
 * Throws {@link RequestError}: `person-required`, `recent-sign-in-required`, and as {@link requireWholeToken};
 * `state-conflict` where another identity service has the agents; `invalid-field` (`name`, `permission`, `channel`,
 * `package`, `store`) and `package-not-found`.
 */
export async function addOwnAgent(
  { authority, name, limits = {} }: OwnAgentInput,
  deps: OwnAgentDeps,
): Promise<OwnAgent> {
  const { identityLocation: location } = deps
  if (location === undefined) {
    throw stateConflict('Another identity service has the agents of this service: add one there.')
  }
  requireWholeToken(authority)
  const packages = limits.packages && (await deps.snapIds(limits.packages.map(packageReference)))
  const own = {
    own: true,
    account: ownId(authority),
    name,
    limits: { ...limits, packages },
    authority,
  } as const
  const { agent, account, file } = await addAgent(own, { ...deps, location })
  if (!file) throw new TypeError('no key pair was made for an agent that has none')
  return { agent: agentRecord({ ...agent, account }), file }
}
