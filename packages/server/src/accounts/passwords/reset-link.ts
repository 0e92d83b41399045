/**
 * One-time links to a new password, which an operator makes and hands over. A link works once, until it expires, and
 * until the logins of its account are ended, as every change of the password does.
 */
import { createHash, randomBytes } from 'node:crypto'
import { requireForAll, requireRecentPerson } from '../../authority.ts'
import { accountActor, type ChangingBy } from '../../change.ts'
import { stateConflict, unauthorized } from '../../errors.ts'
import type { GrantStore } from '../../management/grants/grant-store.ts'
import { type Account, requireNotRemoved } from '../account.ts'
import type { AccountDeps } from '../account-deps.ts'
import type { AccountStore } from '../account-store.ts'
import { requireMayManage } from '../administration/may-manage.ts'
import type { NamedAccount } from '../administration/show-account.ts'
import { endedSince, seenBy } from '../ended-logins/login-mark.ts'
import { findAccount } from '../find.ts'
import { chosenPasswordBytes } from './password.ts'
import type { ResetLinkStore } from './reset-link-store.ts'
import { storePassword } from './set-password.ts'

const SECRET_BYTES = 32

export interface InResetLinks {
  readonly accounts: AccountStore
  readonly resetLinks: ResetLinkStore
}

export interface MadeResetLink {
  readonly account: Account
  /** It goes into the link. */
  readonly secret: string
  readonly expiresAt: Date
}

interface MakeResetLinkDeps extends Pick<AccountDeps, 'accounts' | 'clock'> {
  readonly changeBy: ChangingBy<InResetLinks & { readonly grants: GrantStore }>
}

/**
 * Only people make one, who signed in a short while ago: it is another way in (contract/administration.md, B10 and B11).
 * Throws {@link RequestError}: as `requireMayManage`, `no-such-record`, `state-conflict` for an account that is disabled or
 * removed.
 */
export async function makeResetLink(
  { account: nameOrId, lifetimeMs, authority }: NamedAccount & { readonly lifetimeMs: number },
  deps: MakeResetLinkDeps,
): Promise<MadeResetLink> {
  requireForAll(authority, 'accounts:manage')
  requireRecentPerson(authority, deps.clock())
  const found = await findAccount(nameOrId, deps)
  const { id } = found
  const secret = randomBytes(SECRET_BYTES)
  const createdAt = deps.clock()
  const expiresAt = new Date(createdAt.getTime() + lifetimeMs)
  const account = await deps.changeBy(authority.author)(async ({ accounts, grants, resetLinks, record }) => {
    // First: whoever gives it a role waits for this, or was first.
    const locked = (await accounts.lock(id)) ?? found
    await requireMayManage({ authority, account: locked }, { grants }, createdAt)
    const kept = requireNotRemoved(locked)
    if (kept.disabledAt) {
      throw stateConflict('The account is disabled. Enable it first.', { status: 'disabled' })
    }
    await resetLinks.insert({
      ...{ secretHash: hashOf(secret), accountId: id, seen: seenBy(kept), createdAt, expiresAt },
    })
    const details = { expires: expiresAt.toISOString() }
    await record({ action: 'account.reset-link', subject: kept.username, details })
    return kept
  })
  return { account, secret: secret.toString('base64url'), expiresAt }
}

type UseResetLinkDeps = Omit<AccountDeps, 'change'> & {
  readonly resetLinks: ResetLinkStore
  readonly changeBy: ChangingBy<InResetLinks>
}

/** The account that a link is for; undefined when the link does not work (any more), or never existed. */
export async function accountOfResetLink(
  secret: string,
  { resetLinks, accounts, clock }: Pick<UseResetLinkDeps, 'resetLinks' | 'accounts' | 'clock'>,
): Promise<Account | undefined> {
  const secretHash = hashOfText(secret)
  const link = secretHash && (await resetLinks.find(secretHash))
  if (!link || link.expiresAt <= clock()) return undefined
  const account = await accounts.findById(link.accountId)
  return account && !account.disabledAt && !endedSince(link.seen, account) ? account : undefined
}

export interface UseResetLinkInput {
  readonly secret: string
  readonly password: string
  /** The browser's. */
  readonly address: string
}

/**
 * Sets the password as `setPassword` does. Of two uses at once, one sets its password. Throws a 401 when the link does
 * not work (any more), `invalid-field` when the password breaks its rule.
 */
export async function useResetLink(
  { secret, password, address }: UseResetLinkInput,
  deps: UseResetLinkDeps,
): Promise<Account> {
  const secretHash = hashOfText(secret)
  const account = await accountOfResetLink(secret, deps)
  if (!secretHash || !account) throw linkIsOver()
  const passwordHash = await deps.passwords.hash(chosenPasswordBytes(password))
  const change = deps.changeBy({ actor: accountActor(account.username), source: address })
  const changed = await change(async (on) => {
    const stored = await storePassword({ account, passwordHash, link: secretHash }, on, deps.clock())
    // Hashing takes long, and meanwhile the account may have been disabled, or its logins ended.
    if (!stored || stored.before.disabledAt || endedSince(seenBy(account), stored.before)) throw linkIsOver()
    await on.record({ action: 'account.reset-password', subject: account.username })
    return stored.after
  })
  await deps.signInSessions.removeAllOf(account.id)
  return changed
}

const linkIsOver = () =>
  unauthorized('This link has expired, or was used before. Ask the operator of this store for another one.')

const hashOfText = (secret: string): Uint8Array | undefined =>
  /^[\w-]{43}$/.test(secret) ? hashOf(Buffer.from(secret, 'base64url')) : undefined

/** 32 random bytes need no salt. */
const hashOf = (secret: Uint8Array): Uint8Array => createHash('sha256').update(secret).digest()
