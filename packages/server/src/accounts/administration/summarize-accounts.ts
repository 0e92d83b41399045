/** Returns the details that lists show of accounts in addition to their records, for one page. */
import { isAccountId, isUsername } from '@ratafia/api'
import { type Authority, requireForAll } from '../../authority.ts'
import { mayActOn } from '../../grants/may-act-on.ts'
import type { Stores } from '../../stores.ts'

interface Wanted {
  /** Usernames or ids. */
  readonly accounts: readonly string[]
  readonly authority: Authority
}

/**
 * Returns the summaries by username, and omits accounts that don't exist. Times are RFC 3339 in UTC. Throws
 * `permission-denied`.
 */
export async function summarizeAccounts(
  { accounts, authority }: Wanted,
  { accountSummaries, clock }: Stores,
) {
  requireForAll(authority, 'accounts:read')
  const named = { usernames: accounts.filter(isUsername), ids: accounts.filter(isAccountId) }
  const found = await accountSummaries.of(named, clock())
  return found.map(({ id, username, roles, agents, newestSessionAt }) => ({
    ...{ id, username },
    roles: roles.map(({ role, brandId }) => ({ role, brand: brandId ?? null })),
    may_act: mayActOn(authority, roles),
    agents,
    newest_session_at: newestSessionAt?.toISOString() ?? null,
  }))
}
