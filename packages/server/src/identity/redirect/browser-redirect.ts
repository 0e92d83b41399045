/**
 * The login to a web site (contract/bakery.md 3.6): the site sends the browser to the login URL with `return_to` and
 * `state`, gets it back with a code, and fetches a token for the code, which it uses to discharge.
 *
 * The login URL has no query, as in Candid. While Candid's Go client checks for one before it adds `return_to`,
 * Launchpad always adds a `?`. So the URL carries its data in the path.
 */
import { invalidRequest } from '../../errors.ts'
import { randomId } from '../../random.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import type { InteractionKind } from '../discharge/interaction.ts'
import { isKnownService } from '../known-services.ts'
import { LOGIN_MS } from '../logins/browser-window.ts'
import { LOGIN_TOKEN_KIND, redeemLoginToken } from '../logins/login-token.ts'
import { openFor, sealFor, toText } from '../logins/sealed-texts.ts'
import { checkReturnTo } from './return-to.ts'

export const browserRedirect: InteractionKind = {
  method: 'browser-redirect',
  tokenKind: LOGIN_TOKEN_KIND,

  offer: async ({ caveat, firstParty, summary, client }, { keyring, location, clock, knownServices }) => {
    const { publicKey } = await keyring.sealingKeyPair()
    const redirect = await sealFor(
      'redirect',
      {
        caveat: toText(caveat),
        expires: clock().getTime() + LOGIN_MS,
        address: client.address,
        firstParty: toText(firstParty),
        own: Buffer.compare(publicKey, firstParty) === 0,
        known: isKnownService({ firstParty, summary }, publicKey, knownServices),
        summary: summary ?? null,
      },
      keyring,
    )
    return {
      LoginURL: `${location}/login-redirect/${redirect}`,
      DischargeTokenURL: `${location}/discharge-token`,
    }
  },

  redeem: redeemLoginToken,
}

/** Candid accepts any length. The states of our clients and theirs have at most 64 characters. */
const MOST_STATE = 512

export interface RedirectInput {
  /** The sealed text from the login URL. */
  readonly redirect: string
  readonly returnTo: string
  /** The site's own state, which is returned unchanged. */
  readonly state: string | undefined
}

/**
 * Returns the `did` of the login page. Throws `invalid-request` for a string that this service did not seal,
 * and for a URL to return to that is not allowed.
 */
export async function startRedirect(
  { redirect, returnTo, state }: RedirectInput,
  { keyring, returnPlaces }: Pick<IdentityDependencies, 'keyring' | 'returnPlaces'>,
): Promise<string> {
  const content = await openFor('redirect', redirect, keyring)
  if (!content) {
    throw invalidRequest(
      'This address is incomplete, or not from this identity service. Start the login again at the site that sent you here.',
    )
  }
  if (state !== undefined && state.length > MOST_STATE) {
    throw invalidRequest(`The parameter "state" is longer than ${MOST_STATE} characters.`)
  }
  const { isConsole } = checkReturnTo(returnTo, returnPlaces)
  const { caveat, own, ...shown } = content
  const back = {
    ...{ caveat, returnTo, state: state ?? null },
    // This needs no confirmation, because the console accepts only logins that the same browser started.
    console: isConsole && own,
  }
  return sealFor('visit', { ...shown, userAgent: '', login: toText(randomId(16)), back }, keyring)
}
