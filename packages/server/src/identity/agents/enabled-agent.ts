/** Who an agent logs in as. */
import { encodeBase64 } from '@ratafia/macaroon'
import { type Account, requireEnabled } from '../../accounts/account.ts'
import type { AccountStore } from '../../accounts/account-store.ts'
import { unauthorized } from '../../errors.ts'
import { isAgentName } from './agent-name.ts'
import type { Agent } from './agent-store.ts'

export interface EnabledAgent {
  readonly agent: Pick<Agent, 'name' | 'publicKey' | 'limits'>
  /** As it was when the agent had this key: what ended its logins later is in no discharge that it is given. */
  readonly account: Account
}

export interface RememberedAgents {
  /** The agent remembered under this name and key, or else what `read` finds. */
  find(nameAndKey: string, read: () => Promise<EnabledAgent>): Promise<EnabledAgent>
}

export interface EnabledAgentDeps {
  readonly accounts: Pick<AccountStore, 'findByAgent'>
  readonly knownAgents: RememberedAgents
}

/**
 * The agent with this name and this key, and its account. Throws a 401, which is never remembered: in the same words for
 * an unknown agent and for another key, and when the account is disabled.
 */
export async function enabledAgent(
  { name, publicKey }: Pick<Agent, 'name' | 'publicKey'>,
  { accounts, knownAgents }: EnabledAgentDeps,
): Promise<EnabledAgent> {
  // The name may be any text, even one that a database refuses.
  if (!isAgentName(name)) throw unknownAgent()
  return knownAgents.find(`${name} ${encodeBase64(publicKey)}`, async () => {
    const found = await accounts.findByAgent(name)
    if (!found || !Buffer.from(found.agent.publicKey).equals(publicKey)) throw unknownAgent()
    return { agent: { name, ...found.agent }, account: requireEnabled(found.account) }
  })
}

const unknownAgent = () => unauthorized('There is no agent with this name and this public key.')
