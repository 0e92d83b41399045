/** Shows one account to callers that may see accounts. */
import { isAccountId, isUsername } from '@ratafia/api'
import { type Authority, requireForAll } from '../../authority.ts'
import { mayActOn } from '../../grants/may-act-on.ts'
import { type Page, type Paging, pageOf } from '../../page.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { Account } from '../account.ts'
import type { ExternalIdentity, LinkedIdentity } from '../account-store.ts'
import { findAccount } from '../find.ts'

/** An account that an administrator names, by id or username. */
export interface NamedAccount {
  readonly account: string
  readonly authority: Authority
}

/** Returns the account. Throws {@link RequestError} `permission-denied` or `no-such-record`. */
export async function showAccount(
  { account, authority }: NamedAccount,
  stores: TransactionStores,
): Promise<Account> {
  requireForAll(authority, 'accounts:read')
  return findAccount(account, stores)
}

/** Lists an account's identities by issuer and subject. Throws {@link RequestError} as `showAccount` does. */
export async function listIdentities(
  { after, limit, ...named }: NamedAccount & Paging<ExternalIdentity>,
  stores: TransactionStores,
): Promise<Page<LinkedIdentity>> {
  const { id } = await showAccount(named, stores)
  return pageOf(limit, (most) => stores.accounts.identitiesOf(id, { after, limit: most }))
}

/** Returns the record that the API shows. Times are RFC 3339 in UTC. */
export const identityRecord = ({ issuer, subject, createdAt }: LinkedIdentity) => ({
  issuer,
  subject,
  linked_at: createdAt.toISOString(),
})

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
