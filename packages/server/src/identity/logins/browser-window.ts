/**
 * The login with a browser (contract/bakery.md 3.4): the client opens the visit URL, waits at the wait URL,
 * and discharges with the token it gets there.
 */
import { randomId } from '../../random.ts'
import type { InteractionKind } from '../discharge/interaction.ts'
import { isKnownService } from '../known-services.ts'
import { LOGIN_TOKEN_KIND, redeemLoginToken } from './login-token.ts'
import { sealFor, toText } from './sealed-texts.ts'

/** How long a user has time to complete a login. */
export const LOGIN_MS = 30 * 60_000

/** The maximum length of a User-Agent, because it is part of the URL. */
const MAX_USER_AGENT = 200

export const browserWindow: InteractionKind = {
  method: 'browser-window',
  tokenKind: LOGIN_TOKEN_KIND,

  offer: async ({ caveat, firstParty, summary, client }, { keyring, location, clock, knownServices }) => {
    const login = toText(randomId(16))
    const expires = clock().getTime() + LOGIN_MS
    const sealingKeyPair = await keyring.sealingKeyPair()
    const visit = await sealFor(
      'visit',
      {
        login,
        expires,
        address: client.address,
        userAgent: client.userAgent.slice(0, MAX_USER_AGENT).toWellFormed(),
        firstParty: toText(firstParty),
        known: isKnownService({ firstParty, summary }, sealingKeyPair.publicKey, knownServices),
        summary: summary ?? null,
      },
      keyring,
    )
    const wait = await sealFor('wait', { login, caveat: toText(caveat), expires }, keyring)
    return { VisitURL: `${location}/login?did=${visit}`, WaitTokenURL: `${location}/wait-token?did=${wait}` }
  },

  redeem: redeemLoginToken,
}
