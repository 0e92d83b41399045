/**
 * Logging in with a browser (contract/bakery.md 3.4): the client opens the visit URL, waits at the wait URL, and
 * discharges with the token it gets there.
 */
import { timingSafeEqual } from 'node:crypto'
import { requireEnabled } from '../../accounts/account.ts'
import { endedSince } from '../../accounts/ended-logins/login-mark.ts'
import { unauthorized } from '../../errors.ts'
import { randomId } from '../../random.ts'
import type { InteractionKind } from '../discharge/interaction.ts'
import { isKnownService } from '../known-services.ts'
import { openFor, sealFor, toBytes, toText } from './sealed-texts.ts'

export const LOGIN_TOKEN_KIND = 'login'

/** How long a person has to complete a login. */
export const LOGIN_MS = 30 * 60_000

/** More than anyone reads of a user agent; it travels in the URL. */
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

  redeem: async (token, caveat, { keyring, accounts, clock }) => {
    const content = await openFor('login-token', Buffer.from(token).toString('latin1'), keyring)
    const expected = content && toBytes(content.caveat)
    if (!content || expected?.length !== caveat.length || !timingSafeEqual(expected, caveat)) {
      throw unauthorized('The login token is not for this caveat. Log in again.')
    }
    if (clock().getTime() >= content.expires) {
      throw unauthorized('The login token has expired. Log in again.')
    }
    const account = await accounts.findById(content.account)
    if (!account) throw unauthorized('The account of this login no longer exists.')
    requireEnabled(account)
    if (endedSince(content.seen, account)) {
      throw unauthorized('The logins of the account were ended after this one was approved. Log in again.')
    }
    const { signedInAt } = content
    return {
      account,
      signIn: signedInAt === undefined ? { kind: 'unknown' } : { kind: 'person', at: new Date(signedInAt) },
      limits: [],
    }
  },
}
