/** Uses up a code that came without the cookie of its sign-in, so that nobody can use it from the address. */
import { RequestError } from '../../errors.ts'
import type { SignInDependencies } from './dependencies.ts'
import { IdentityTrouble, identityClient } from './identity-client.ts'

/** Where our identity service and Candid redeem codes, below their location. */
const REDEEM = '/discharge-token'

/**
 * The address of such a page stays in histories and logs, and the cookie may be in the browser of whoever sent the link.
 * Tries once: a code that cannot be redeemed now expires within a minute.
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
