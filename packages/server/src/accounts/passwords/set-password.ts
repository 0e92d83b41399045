/** Sets the password of an account, signs it out of every browser, and ends its logins that were not used yet. */
import { requireForAll } from '../../authority.ts'
import type { Recording } from '../../change.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import { type Account, requireNotRemoved } from '../account.ts'
import { requireMayLetIn } from '../administration/may-manage.ts'
import type { NamedAccount } from '../administration/show-account.ts'
import { endConsoleSessions } from '../ended-logins/end-console-sessions.ts'
import { findAccount } from '../find.ts'
import { chosenPasswordBytes } from './password.ts'

/**
 * Throws as `requireMayLetIn`; `no-such-record`; `invalid-field` when the password breaks its rule, or another account
 * with a password has the e-mail address.
 */
export async function setPassword(
  { account: nameOrId, password, authority }: NamedAccount & { readonly password: string },
  stores: Stores,
): Promise<Account> {
  requireForAll(authority, 'accounts:manage')
  const account = requireNotRemoved(await findAccount(nameOrId, stores))
  const passwordHash = await stores.passwords.hash(chosenPasswordBytes(password))
  const changed = await stores.changeBy(authority.author)(async (on) => {
    await requireMayLetIn({ authority, account }, on, stores.clock())
    const stored = await storePassword({ account, passwordHash, by: authority.by }, on, stores.clock())
    if (stored) await on.record({ action: 'account.set-password', subject: account.username })
    return stored?.after
  })
  // After the hash is stored: this signs out whoever signed in with the old password before, and whoever is doing so
  // right now checks the hash once more.
  await stores.signInSessions.removeAllOf(account.id)
  return changed ?? (await stores.accounts.findById(account.id)) ?? account
}

interface StoredPassword {
  readonly account: Account
  readonly passwordHash: string
  /** Who sets it, as `revoked-by` names them. */
  readonly by: string
  /** The hash that this one replaces. Default: any. */
  readonly replacing?: string
  /** The hash of the secret of a link that this uses up. */
  readonly link?: Uint8Array
}

/**
 * In the transaction of a change: stores the hash, and ends the account's logins, its console sessions and its links to a
 * new password. Returns the account before and after; undefined when it is removed, its hash is no longer the one to
 * replace, or the link is used already: then the caller stores nothing.
 */
export async function storePassword(
  { account: { id }, passwordHash, by, replacing, link }: StoredPassword,
  on: TransactionStores & Recording,
  now: Date,
): Promise<{ readonly before: Account; readonly after: Account } | undefined> {
  const { accounts, oneTimeLinks } = on
  // It locks the row: nobody else changes the account before this transaction ends.
  if (!(await accounts.setPasswordHash(id, passwordHash, replacing))) return undefined
  if (link && !(await oneTimeLinks.remove(link))) return undefined
  const before = await accounts.findById(id)
  await accounts.endLogins(id, now)
  await oneTimeLinks.removeAllOf(id)
  await endConsoleSessions({ accountId: id, by, at: now }, on)
  const after = await accounts.findById(id)
  return before && after && { before, after }
}
