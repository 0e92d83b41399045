/**
 * Decides which logins of an account get a role (docs/decisions): those that began after the grant. A browser that was
 * already signed in, or an agent that already existed, may belong to an attacker who waits for more permissions.
 */
import type { AccountId } from '@ratafia/api'
import type { SignIn } from '../../authority.ts'
import type { Grant } from '../../grants/grant.ts'
import type { TransactionStores } from '../../stores.ts'

/** When a login began, and which credential it used. */
export interface LoginAge {
  readonly signIn: SignIn
  /** When its root was created. */
  readonly since: Date
  /** When its agent was added to the account; undefined for people and for agents that are not known here. */
  readonly agentSince: Date | undefined
}

/** A grant that names an agent reaches it, however old the agent is. */
export function reaches(
  { grantedAt, agents }: Pick<Grant, 'grantedAt' | 'agents'>,
  { signIn, since, agentSince }: LoginAge,
): boolean {
  if (signIn.kind === 'person') return signIn.at >= grantedAt
  if (since < grantedAt) return false
  if (signIn.kind === 'unknown') return true
  return agents.includes(signIn.name) || (agentSince !== undefined && agentSince >= grantedAt)
}

/** Returns the time when the agent of this account's login was added. */
export async function agentSince(
  signIn: SignIn,
  accountId: AccountId,
  { agents }: TransactionStores,
): Promise<Date | undefined> {
  if (signIn.kind !== 'agent') return undefined
  const agent = await agents.find(signIn.name)
  return agent?.accountId === accountId ? agent.createdAt : undefined
}
