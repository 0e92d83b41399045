/**
 * Adds an agent to the account of the user who is signed in to the console (contract/administration.md, B11).
 * Like tokens, only the console can create it, because an agent's key is another credential.
 */
import { ownId } from '../../authority.ts'
import { stateConflict } from '../../errors.ts'
import { type AddAgentDeps, type AgentsFile, addAgent } from '../../identity/agents/add-agent.ts'
import type { WantedLimits } from '../../identity/agents/agent-limits.ts'
import { agentRecord } from '../../identity/agents/list-agents.ts'
import { packageReference } from '../../package-directory/package-reference.ts'
import type { TokenDependencies } from '../../tokens/dependencies.ts'
import type { ManagerAuthority } from '../tokens/manager.ts'
import { requireWholeToken } from '../tokens/require-whole-token.ts'

export interface OwnAgentInput {
  /** The authority of the session in the console. */
  readonly authority: ManagerAuthority
  readonly name: string
  /** The packages are names or snap ids. */
  readonly limits?: WantedLimits | undefined
}

export interface OwnAgentDeps extends Omit<AddAgentDeps, 'location'>, Pick<TokenDependencies, 'snapIds'> {
  /** The URL of the identity service; undefined if an external one manages the agents. */
  readonly identityLocation: string | undefined
}

/** Shown once: the private key in the file is stored nowhere. Can be written as JSON. */
export interface OwnAgent {
  readonly agent: ReturnType<typeof agentRecord>
  readonly file: AgentsFile
}

/**
 * Throws `person-required`, `recent-sign-in-required`, and as {@link requireWholeToken} does; `state-conflict` if an
 * external identity service has the agents; `invalid-field` (`name`, `permission`, `channel`, `package`, `store`) and
 * `package-not-found`.
 */
export async function addOwnAgent(
  { authority, name, limits = {} }: OwnAgentInput,
  deps: OwnAgentDeps,
): Promise<OwnAgent> {
  const { identityLocation: location } = deps
  if (location === undefined) {
    throw stateConflict('The agents of this service belong to another identity service. Add the agent there.')
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
  if (!file) throw new TypeError('no key pair was created for an agent without one')
  return { agent: agentRecord({ ...agent, account }), file }
}
