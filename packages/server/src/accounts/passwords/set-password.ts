/** Sets the password of an account, signs it out of every browser, and invalidates its unused logins. */
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
 * Sets the password. Throws as `requireMayLetIn` does, `no-such-record`, and `invalid-field` if the password
 * breaks its rule or another account with a password has the e-mail address.
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
  // After the hash is stored, this removes earlier sign-ins with the old password. A sign-in in progress
  // checks the hash once more after its own insert.
  await stores.signInSessions.removeAllOf(account.id)
  return changed ?? (await stores.accounts.findById(account.id)) ?? account
}

interface StoredPassword {
  readonly account: Account
  readonly passwordHash: string
  /** The name for `revoked-by` of the person who sets it. */
  readonly by: string
  /** The hash that must be stored now. Default: any. */
  readonly replacing?: string
  /** The hash of the secret of the link that is used. */
  readonly link?: Uint8Array
}

/**
 * Stores the hash, invalidates the account's logins, revokes its console sessions and removes its one-time links. Call
 * it in the transaction of a change. Returns the account before and after; undefined if the account is removed, its
 * hash is no longer the one to replace, or the link was used already. Then the caller must store nothing.
 */
export async function storePassword(
  { account: { id }, passwordHash, by, replacing, link }: StoredPassword,
  on: TransactionStores & Recording,
  now: Date,
): Promise<{ readonly before: Account; readonly after: Account } | undefined> {
  const { accounts, oneTimeLinks } = on
  // This locks the row, so no other transaction changes the account before this one ends.
  if (!(await accounts.setPasswordHash(id, passwordHash, replacing))) return undefined
  if (link && !(await oneTimeLinks.remove(link))) return undefined
  const before = await accounts.findById(id)
  await accounts.endLogins(id, now)
  await oneTimeLinks.removeAllOf(id)
  await endConsoleSessions({ accountId: id, by, at: now }, on)
  const after = await accounts.findById(id)
  return before && after && { before, after }
}
