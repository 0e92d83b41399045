/** Adds an agent to an account (contract/bakery.md 3.5). */
import { encodeBase64 } from '@ratafia/macaroon'
import { BakeryError, decodePublicKey, generateKeyPair, type KeyPair } from '@ratafia/macaroon/bakery'
import { type Account, requireNotRemoved } from '../../accounts/account.ts'
import { requireMayLetIn } from '../../accounts/administration/may-manage.ts'
import { findAccount } from '../../accounts/find.ts'
import { type Authority, requireForAll, requireRecentPerson } from '../../authority.ts'
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { withoutSlash } from '../../third-party/identity-service.ts'
import { checkLimits, formatLimits, type WantedLimits, type WithLimits } from './agent-limits.ts'
import { checkAgentName } from './agent-name.ts'
import type { Agent } from './agent-store.ts'

export interface AddAgentInput {
  readonly name: string
  /** The username or account id. */
  readonly account: string
  /** Whether it is the caller's own account, which requires no permission. Default: any account. */
  readonly own?: boolean
  /** The public key in base64, if the agent already has a key pair. Otherwise one is created. */
  readonly publicKey?: string | undefined
  /** The limits of its logins; absent for none. */
  readonly limits?: WantedLimits | undefined
  /**
   * Saves the agents file before the agent is stored. If it fails, no agent is. Default: only the result has the file.
   */
  readonly keep?: ((file: AgentsFile) => Promise<void>) | undefined
  readonly authority: Authority
}

/** The file that Go (`BAKERY_AGENT_FILE`) and Python (`load_auth_info`) bakery clients read. */
export interface AgentsFile {
  readonly key: { readonly public: string; readonly private: string }
  readonly agents: readonly { readonly url: string; readonly username: string }[]
}

export interface AddedAgent {
  readonly agent: WithLimits<Agent>
  readonly account: Account
  /** The file with the private key, which is not stored; absent if the public key was given. */
  readonly file: AgentsFile | undefined
}

export interface AddAgentDeps extends Stores {
  /** The URL of the identity service, where the agent will log in. */
  readonly location: string
}

/**
 * Adds the agent. Throws as `requireMayLetIn` does, or for the caller's own account as `requireRecentPerson`;
 * `no-such-record`; and `invalid-field` for an invalid or taken name or key, or an invalid limit.
 */
export async function addAgent(input: AddAgentInput, deps: AddAgentDeps): Promise<AddedAgent> {
  const { authority, own = false } = input
  if (own) requireRecentPerson(authority, deps.clock())
  else requireForAll(authority, 'accounts:manage')
  const name = checkAgentName(input.name)
  const account = requireNotRemoved(await findAccount(input.account, deps))
  if (own && account.id !== authority.accountId) throw new TypeError('the account is not the own one')
  const limits = checkLimits(input.limits ?? {})
  const made = input.publicKey === undefined ? generateKeyPair() : undefined
  const publicKey = made?.publicKey ?? givenKey(input.publicKey ?? '')
  const agent = { name, accountId: account.id, publicKey, limits, createdAt: deps.clock() }
  const stored = formatLimits(limits)
  const file = made && agentsFile(made, name, deps.location)
  if (file) await input.keep?.(file)
  const outcome = await deps.changeBy(authority.author)(async (on) => {
    const { agents, accounts, record } = on
    if (!own) await requireMayLetIn({ authority, account }, on, deps.clock())
    if (!(await accounts.keep(account.id))) return 'removed'
    const inserted = await agents.insert({ ...agent, limits: stored })
    if (inserted === 'inserted') {
      await record({
        action: 'agent.add',
        subject: name,
        details: { account: account.username, limits: stored },
      })
    }
    return inserted
  })
  if (outcome === 'removed')
    throw invalidField(`The account "${account.username}" was just removed.`, { field: 'account' })
  if (outcome === 'name-taken')
    throw invalidField(`An agent "${name}" already exists. Choose another name.`, { field: 'name' })
  if (outcome === 'key-taken')
    throw invalidField('Another agent has this key. Create a key pair for each agent.', {
      field: 'public-key',
    })
  return { agent, account, file }
}

function agentsFile({ publicKey, privateKey }: KeyPair, name: string, location: string): AgentsFile {
  return {
    key: { public: encodeBase64(publicKey), private: encodeBase64(privateKey) },
    agents: [{ url: withoutSlash(location), username: name }],
  }
}

/** Decodes the key. An agent can only log in with the key it was added with, so only this function checks it. */
function givenKey(text: string): Uint8Array {
  try {
    return decodePublicKey(text)
  } catch (error) {
    if (!(error instanceof BakeryError)) throw error
    throw invalidField('The public key cannot be used. Give a Curve25519 public key: 32 bytes in base64.', {
      field: 'public-key',
    })
  }
}
