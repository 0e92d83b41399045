/** Uses up a code that came without the cookie of its sign-in, so that it cannot be used by others who see the URL. */
import { RequestError } from '../../errors.ts'
import type { SignInDependencies } from './dependencies.ts'
import { IdentityTrouble, identityClient } from './identity-client.ts'

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
