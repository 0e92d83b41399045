/** Finds an agent and the account that it logs in as. */
import { encodeBase64 } from '@ratafia/macaroon'
import { type Account, requireEnabled } from '../../accounts/account.ts'
import type { AccountStore } from '../../accounts/account-store.ts'
import { unauthorized } from '../../errors.ts'
import { isAgentName } from './agent-name.ts'
import type { Agent } from './agent-store.ts'

export interface EnabledAgent {
  readonly agent: Pick<Agent, 'name' | 'publicKey' | 'limits'>
  /**
   * The account as it was when the agent had this key. A discharge given from memory contains its
   * `loginsSince` of then, so that it opens nothing if its logins were invalidated since.
   */
  readonly account: Account
}

export interface RememberedAgents {
  /** Returns the agent remembered under this name and key, or else the result of `read`. */
  find(nameAndKey: string, read: () => Promise<EnabledAgent>): Promise<EnabledAgent>
}

export interface EnabledAgentDeps {
  readonly accounts: Pick<AccountStore, 'findByAgent'>
  readonly knownAgents: RememberedAgents
}

/**
 * Returns the agent with this name and this key, and its account. Throws a 401, which is never remembered, if
 * the account is disabled, and with the same message for an unknown agent and for a different key.
 */
export async function enabledAgent(
  { name, publicKey }: Pick<Agent, 'name' | 'publicKey'>,
  { accounts, knownAgents }: EnabledAgentDeps,
): Promise<EnabledAgent> {
  // The name can be any string, even one that a database refuses.
  if (!isAgentName(name)) throw unknownAgent()
  return knownAgents.find(`${name} ${encodeBase64(publicKey)}`, async () => {
    const found = await accounts.findByAgent(name)
    if (!found || !Buffer.from(found.agent.publicKey).equals(publicKey)) throw unknownAgent()
    return { agent: { name, ...found.agent }, account: requireEnabled(found.account) }
  })
}

const unknownAgent = () => unauthorized('There is no agent with this name and this public key.')
