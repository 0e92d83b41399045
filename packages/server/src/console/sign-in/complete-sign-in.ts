/** Completes a sign-in: exchanges the code that the browser brings back for a session of the console. */
import { decodeBase64, decodeBinary, type Macaroon, MacaroonError } from '@ratafia/macaroon'
import { BakeryError, dischargeAll, STANDARD_NAMESPACE } from '@ratafia/macaroon/bakery'
import { RECENT_SIGN_IN_MS } from '../../authority.ts'
import { RequestError, unauthorized } from '../../errors.ts'
import { exchangeManagementRoot } from '../../management/tokens/exchange.ts'
import type { Manager } from '../../management/tokens/manager.ts'
import { authenticateManager } from '../../management/tokens/verify-manager.ts'
import type { SignInDependencies } from './dependencies.ts'
import { IdentityTrouble, identityClient, needOf } from './identity-client.ts'
import type { PendingSignIn } from './pending-sign-in.ts'

export interface SignedInToConsole {
  /** The management token, which is the session's cookie. */
  readonly token: string
  readonly manager: Manager
  /** Whether the user signed in a short while ago, according to the identity service. */
  readonly isRecent: boolean
}

export interface ReturningBrowser {
  readonly pending: PendingSignIn
  readonly code: string
  readonly address: string
  /** The name that the browser gives itself. */
  readonly userAgent: string | undefined
}

/** Returns the new session. Throws a 401, {@link IdentityTrouble} and `Unavailable`. */
export async function completeSignIn(
  { pending, code, address, userAgent }: ReturningBrowser,
  deps: SignInDependencies,
): Promise<SignedInToConsole> {
  const { location } = deps.identity
  const client = identityClient(location, deps.fetchFor(address))
  const token = await client.token(pending.tokenUrl, code)
  const need = needOf(pending.root)
  const slice = await dischargeAll(
    { macaroon: pending.root, version: 2, namespace: STANDARD_NAMESPACE, caveatData: new Map() },
    (asked) => {
      // Otherwise the identity service could send us to another service, for a proof that we did not ask for.
      if (Buffer.compare(asked.id, need.id) !== 0)
        throw new IdentityTrouble('strange', location, 'its discharge needs another discharge')
      return client.discharge(need, token)
    },
  ).catch((error: unknown) => {
    if (!(error instanceof BakeryError || error instanceof MacaroonError)) throw error
    throw new IdentityTrouble('strange', location, 'its discharge is for a different caveat', error)
  })
  const management = { ...deps.management, source: address, userAgent, openedIn: 'console' } as const
  const { macaroon } = await exchangeManagementRoot([slice], management)
  const manager = await managerOf(macaroon, { address }, deps)
  const { signIn } = manager
  const isRecent =
    signIn.kind === 'person' && deps.clock().getTime() - signIn.at.getTime() < RECENT_SIGN_IN_MS
  return { token: macaroon, manager, isRecent }
}

/** Returns the user of this console session. Throws a 401 and `Unavailable`. */
export async function managerOf(
  token: string,
  { address }: { readonly address: string },
  { management }: Pick<SignInDependencies, 'management'>,
): Promise<Manager> {
  return authenticateManager([[macaroonIn(token)]], { ...management, source: address })
}

function macaroonIn(token: string): Macaroon {
  try {
    const [first] = decodeBinary(decodeBase64(token))
    if (first) return first
  } catch (error) {
    if (!(error instanceof MacaroonError)) throw error
  }
  throw unauthorized('The cookie of this browser has no token. Sign in again.')
}

/** The path below their location where our identity service and Candid redeem codes. */
const REDEEM = '/discharge-token'

/**
 * Redeems the code and drops the token. The URL of such a page stays in histories and logs, and the cookie may be in
 * the browser of an attacker who sent the link. Tries once: a code that cannot be redeemed now expires within a minute.
 */
export async function throwAwayCode(
  { code, address }: { readonly code: string; readonly address: string },
  { identity: { location }, fetchFor }: Pick<SignInDependencies, 'identity' | 'fetchFor'>,
): Promise<void> {
  try {
    await identityClient(location, fetchFor(address)).token(`${location}${REDEEM}`, code)
  } catch (error) {
    if (!(error instanceof RequestError || error instanceof IdentityTrouble)) throw error
  }
}
