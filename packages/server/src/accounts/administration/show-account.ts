/** One account, for whoever may see accounts. */
import { type Authority, requireForAll } from '../../authority.ts'
import { type Page, type Paging, pageOf } from '../../page.ts'
import type { TransactionStores } from '../../stores.ts'
import type { Account } from '../account.ts'
import type { ExternalIdentity, LinkedIdentity } from '../account-store.ts'
import { findAccount } from '../find.ts'

/** An account that an administrator names, by id or username. */
export interface NamedAccount {
  readonly account: string
  readonly authority: Authority
}

/** Throws {@link RequestError} `permission-denied`, and `no-such-record`. */
export async function showAccount(
  { account, authority }: NamedAccount,
  stores: TransactionStores,
): Promise<Account> {
  requireForAll(authority, 'accounts:read')
  return findAccount(account, stores)
}

/** By issuer and subject. Throws {@link RequestError} as `showAccount` does. */
export async function listIdentities(
  { after, limit, ...named }: NamedAccount & Paging<ExternalIdentity>,
  stores: TransactionStores,
): Promise<Page<LinkedIdentity>> {
  const { id } = await showAccount(named, stores)
  return pageOf(limit, (most) => stores.accounts.identitiesOf(id, { after, limit: most }))
}

/** As the API shows it. Times are RFC 3339 in UTC. */
export const identityRecord = ({ issuer, subject, createdAt }: LinkedIdentity) => ({
  issuer,
  subject,
  linked_at: createdAt.toISOString(),
})
