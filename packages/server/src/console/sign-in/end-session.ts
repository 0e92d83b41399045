/** Revokes a session of the console when its user signs out, or signs in again in the same browser. */
import { accountActor } from '../../change.ts'
import { RequestError } from '../../errors.ts'
import type { Manager } from '../../management/tokens/manager.ts'
import { revokeToken } from '../../tokens/revoke.ts'
import { managerOf } from './complete-sign-in.ts'
import type { SignInDependencies } from './dependencies.ts'

interface Ending {
  /** The cookie of the session. */
  readonly token: string
  /** The network address of the browser. */
  readonly address: string
}

/**
 * Revokes the session, and signs the browser out of the identity service if that is possible. Returns the user who was
 * signed out; undefined if the session had expired or was revoked before. Throws `Unavailable`.
 */
export async function signOutOfConsole(
  ending: Ending,
  deps: SignInDependencies,
): Promise<Manager | undefined> {
  const manager = await stillSignedIn(ending, deps)
  if (!manager) return undefined
  await revoke(manager, ending, deps)
  const { account, signIn } = manager
  if (signIn.kind === 'person') {
    await deps.identity.endSignIn?.({ accountId: account.id, at: signIn.at, address: ending.address })
  }
  return manager
}

/**
 * Revokes the session that a browser had before it signed in again. A session whose account has running jobs stays
 * until it expires, because a job stops with the session that created it.
 */
export async function endEarlierSession(
  { now, ...ending }: Ending & { readonly now: Manager },
  deps: SignInDependencies,
): Promise<void> {
  const earlier = await stillSignedIn(ending, deps)
  if (!earlier || earlier.sessionId === now.sessionId) return
  if (earlier.account.id === now.account.id && (await deps.jobs.countActive(now.account.id)) > 0) return
  await revoke(earlier, ending, deps)
}

async function stillSignedIn(
  { token, address }: Ending,
  deps: SignInDependencies,
): Promise<Manager | undefined> {
  try {
    return await managerOf(token, { address }, deps)
  } catch (error) {
    // The token is revoked, expired or missing, so there is nothing to revoke.
    if (error instanceof RequestError) return undefined
    throw error
  }
}

async function revoke(
  { account, sessionId }: Manager,
  { address }: Ending,
  stores: SignInDependencies,
): Promise<void> {
  const change = stores.changeBy({
    actor: accountActor(account.username),
    source: address,
    details: { via: 'console', session: sessionId },
  })
  await revokeToken({ sessionId, by: account.username, accountId: account.id }, { ...stores, change })
}
