/**
 * The login to a web site (contract/bakery.md 3.6): the site sends the browser to the login URL with `return_to` and
 * `state`, gets it back with a code, and fetches a token for the code, which it uses to discharge.
 *
 * The login URL has no query, as in Candid. While Candid's Go client checks for one before it adds `return_to`,
 * Launchpad always adds a `?`. So the URL carries its data in the path.
 */
import type { InteractionKind } from '../discharge/interaction.ts'
import { isKnownService } from '../known-services.ts'
import { LOGIN_MS } from '../logins/browser-window.ts'
import { LOGIN_TOKEN_KIND, redeemLoginToken } from '../logins/login-token.ts'
import { sealFor, toText } from '../logins/sealed-texts.ts'

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
