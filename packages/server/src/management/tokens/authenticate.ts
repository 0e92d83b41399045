/** Authenticates the caller of the management API. */
import { firstValidSlice, type Presented } from '../../tokens/authentication/first-valid-slice.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { Manager } from './manager.ts'
import { MANAGEMENT_TOKENS, verifyManager } from './verify-manager.ts'

/**
 * Accepts the first valid management token. Throws {@link RequestError}: a 401 that names any other kind of macaroon.
 */
export function authenticateManager(
  presented: Presented,
  deps: ManagementDependencies & { readonly source: string },
): Promise<Manager> {
  const taking = { keyring: deps.keyring, taken: MANAGEMENT_TOKENS }
  return firstValidSlice(presented, taking, async (slice, macaroon) => {
    const { account, session, cleared, ...age } = await verifyManager(slice, macaroon, deps)
    const { sessionId, expires, minted, limits } = cleared
    if (!minted) throw new TypeError('a management token without its grants was cleared')
    return {
      ...{ account, sessionId, until: expires.getTime(), ...age, minted, limits },
      inConsole: session.openedIn === 'console',
      grants: await deps.grants.heldBy(account.id, deps.clock()),
    }
  })
}
