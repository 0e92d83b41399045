/**
 * A link that works once, until it expires or the logins of its account are invalidated. Only the link contains the
 * secret. The stored hash depends on the link's purpose, so a sign-in link cannot set a password.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type DirectAuthority, requireForAll, requireRecentPerson } from '../../authority.ts'
import { stateConflict } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { type Account, requireNotRemoved } from '../account.ts'
import { requireMayManage } from '../administration/may-manage.ts'
import type { NamedAccount } from '../administration/show-account.ts'
import { endedSince, seenBy } from '../ended-logins/login-mark.ts'
import { findAccount } from '../find.ts'

export type LinkPurpose = 'password' | 'sign-in'

const SECRET_BYTES = 32
const ACTIONS = { password: 'account.reset-link', 'sign-in': 'account.sign-in-link' } as const

export interface MadeLink {
  readonly account: Account
  /** The secret to put into the link. */
  readonly secret: string
  readonly expiresAt: Date
}

interface Wanted extends NamedAccount {
  readonly purpose: LinkPurpose
  readonly lifetimeMs: number
}

/**
 * Creates a link. This requires a person who signed in recently, because a link is another credential
 * (contract/administration.md, B10 and B11). Throws {@link RequestError} as `requireMayManage` does,
 * `no-such-record`, and `state-conflict` for an account that is disabled or removed.
 */
export async function makeLink(
  { account: nameOrId, purpose, lifetimeMs, authority }: Wanted,
  stores: Stores,
): Promise<MadeLink> {
  requireForAll(authority, 'accounts:manage')
  requireRecentPerson(authority, stores.clock())
  const found = await findAccount(nameOrId, stores)
  const { id } = found
  const secret = randomBytes(SECRET_BYTES)
  const createdAt = stores.clock()
  const expiresAt = new Date(createdAt.getTime() + lifetimeMs)
  const account = await stores.changeBy(authority.author)(async (on) => {
    const { accounts, oneTimeLinks, record } = on
    // Lock first: a request that grants it a role either came first, or waits for this transaction.
    const locked = (await accounts.lock(id)) ?? found
    await requireMayManage({ authority, account: locked }, on, createdAt)
    const kept = requireNotRemoved(locked)
    if (kept.disabledAt) {
      throw stateConflict('The account is disabled. Enable it first.', { status: 'disabled' })
    }
    const secretHash = hashOf(secret, purpose)
    // Only one link at a time may bypass the second factor. The account is locked, so of two simultaneous
    // calls one wins.
    if (purpose === 'sign-in') await oneTimeLinks.removeAllOf(id)
    await oneTimeLinks.insert({ secretHash, accountId: id, seen: seenBy(kept), createdAt, expiresAt })
    const details = { expires: expiresAt.toISOString() }
    await record({ action: ACTIONS[purpose], subject: kept.username, details })
    return kept
  })
  return { account, secret: secret.toString('base64url'), expiresAt }
}

interface Found {
  readonly account: Account
  readonly secretHash: Uint8Array
  /** The account's `loginsSince` when the link was created; see `login-mark.ts`. */
  readonly seen: number
}

/** Returns the link's account; undefined if the link does not work (any more), or never existed. */
export async function findLink(
  secret: string,
  purpose: LinkPurpose,
  { oneTimeLinks, accounts, clock }: Stores,
): Promise<Found | undefined> {
  if (!/^[\w-]{43}$/.test(secret)) return undefined
  const secretHash = hashOf(Buffer.from(secret, 'base64url'), purpose)
  const link = await oneTimeLinks.find(secretHash)
  if (!link || link.expiresAt <= clock()) return undefined
  const { seen } = link
  const account = await accounts.findById(link.accountId)
  return account && isOpenTo(account, seen) ? { account, secretHash, seen } : undefined
}

/** Whether the account is enabled, and its logins have not been invalidated since the link was created. */
export const isOpenTo = (account: Account, seen: number): boolean =>
  !account.disabledAt && !endedSince(seen, account)

/** Returns the stored hash. 32 random bytes need no salt. Set-password links have no prefix, for compatibility. */
function hashOf(secret: Uint8Array, purpose: LinkPurpose): Uint8Array {
  const hash = createHash('sha256')
  if (purpose !== 'password') hash.update(`${purpose}:`)
  return hash.update(secret).digest()
}

/** Short, because the operator who creates a link uses it at once. */
const SIGN_IN_LIFETIME_MS = 10 * 60_000

/**
 * Creates a link that signs a browser in when no other sign-in works, because the password is forgotten, the second
 * factor is lost or the provider is unavailable (contract/administration.md, B15). Only commands on the database call
 * this. Removes every earlier one-time link of the account. Throws as {@link makeLink} does.
 */
export const makeSignInLink = (
  wanted: { readonly account: string; readonly authority: DirectAuthority },
  stores: Stores,
): Promise<MadeLink> => makeLink({ ...wanted, purpose: 'sign-in', lifetimeMs: SIGN_IN_LIFETIME_MS }, stores)

/** Returns the record that `--json` shows. `location` is the identity service's URL, without a trailing slash. */
export const signInLinkRecord = ({ account, secret, expiresAt }: MadeLink, location: string) => ({
  username: account.username,
  url: `${location}/sign-in-link?secret=${secret}`,
  expires_at: expiresAt.toISOString(),
})
