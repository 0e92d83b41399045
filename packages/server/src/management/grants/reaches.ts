/**
 * Which logins of an account have a role that it was given (docs/decisions): those that somebody proved after the grant.
 * What was there before, a browser that is signed in or an agent, may be somebody else's, left for this day.
 */
import type { AccountId } from '@ratafia/api'
import type { SignIn } from '../../authority.ts'
import type { Grant } from '../../grants/grant.ts'
import type { TransactionStores } from '../../stores.ts'

/** When a login began, and what it rests on. */
export interface LoginAge {
  readonly signIn: SignIn
  /** When its root was made. */
  readonly since: Date
  /** When its agent was added to the account. Undefined for people, and for agents that are not known here (any more). */
  readonly agentSince: Date | undefined
}

/** A grant that names an agent reaches it however old it is. */
export function reaches(
  { grantedAt, agents }: Pick<Grant, 'grantedAt' | 'agents'>,
  { signIn, since, agentSince }: LoginAge,
): boolean {
  if (signIn.kind === 'person') return signIn.at >= grantedAt
  if (since < grantedAt) return false
  if (signIn.kind === 'unknown') return true
  return agents.includes(signIn.name) || (agentSince !== undefined && agentSince >= grantedAt)
}

/** Of a login as this account. */
export async function agentSince(
  signIn: SignIn,
  accountId: AccountId,
  { agents }: TransactionStores,
): Promise<Date | undefined> {
  if (signIn.kind !== 'agent') return undefined
  const agent = await agents.find(signIn.name)
  return agent?.accountId === accountId ? agent.createdAt : undefined
}
