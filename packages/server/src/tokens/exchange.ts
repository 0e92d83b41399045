/** `POST /api/v2/tokens/exchange`: a root macaroon and its discharge become an authentication macaroon. */
import { MAX_ATTENUATION_BYTES, type MacaroonResponse, type SessionId } from '@ratafia/api'
import { encodeBase64Url, encodeBinary, type UnverifiedSlice } from '@ratafia/macaroon'
import type { Account } from '../accounts/account.ts'
import { RequestError, unauthorized } from '../errors.ts'
import { type VerifiedLogin, verifyLogin } from './authentication/authenticate.ts'
import {
  DEVELOPER_TOKENS,
  firstValidSlice,
  type Presented,
  type UnverifiedMacaroon,
} from './authentication/first-valid-slice.ts'
import type { RequestDependencies } from './dependencies.ts'
import { mintToken, OWN_CAVEATS } from './root-macaroon.ts'
import { extraCaveat } from './wanted-limits.ts'

export interface ExchangedLogin {
  readonly token: string
  readonly account: Account
  readonly sessionId: SessionId
}

/**
 * Exchanges the first slice that is a valid root with its discharge. While its session is neither revoked nor expired,
 * the same person may exchange the same root again and gets another token of that session. Throws {@link RequestError}
 * as {@link verifyLogin} does, and `limit-exceeded` when the limits do not fit into a token.
 */
export async function exchange(presented: Presented, deps: RequestDependencies): Promise<MacaroonResponse> {
  return { macaroon: (await exchangeLogin(presented, deps)).token }
}

/** The same, with whose login it was. */
export const exchangeLogin = (presented: Presented, deps: RequestDependencies): Promise<ExchangedLogin> =>
  firstValidSlice(presented, { keyring: deps.keyring, taken: DEVELOPER_TOKENS }, async (slice, macaroon) => {
    if (macaroon.kind === 'token') {
      throw unauthorized('This is already a token. Exchange takes a root macaroon and its discharge.')
    }
    return tokenFor(await verifyForToken(slice, macaroon, deps), deps)
  })

/** What a token, or another credential, of the same session can be made from. Throws as {@link exchange} does. */
export async function verifyForToken(
  slice: UnverifiedSlice,
  macaroon: UnverifiedMacaroon,
  deps: RequestDependencies,
): Promise<LimitedLogin> {
  if (slice[0].caveats.slice(OWN_CAVEATS).some((caveat) => caveat.verificationId !== undefined)) {
    // The token would lose this caveat and so be wider than what it is made from.
    throw unauthorized(
      'The macaroon has an additional third-party caveat, which a token cannot keep. Present it without.',
    )
  }
  const login = await verifyLogin(slice, macaroon, deps)
  // The intersection of the limits asked for and those the holder added.
  const extra = extraCaveat(login.cleared.attenuations)
  if (extra !== undefined) return { ...login, extra }
  throw new RequestError(
    'limit-exceeded',
    `The limits on the macaroon together have over ${MAX_ATTENUATION_BYTES} bytes or over 256 items in a list. Use one with fewer caveats.`,
  )
}

interface LimitedLogin extends VerifiedLogin {
  /** All its limits in one caveat. */
  readonly extra: string
}

/** A token of the session of a login: never wider, and never longer. */
export async function tokenFor(
  { account, cleared, extra }: LimitedLogin,
  { keyring, location, clock, identity }: RequestDependencies,
): Promise<ExchangedLogin> {
  const { sessionId, sessionExpires: expires, subject: value } = cleared
  const token = mintToken(
    { ...(await keyring.mintId('token')), location, expires, since: clock(), sessionId, extra },
    { key: identity.key, value },
  )
  return { token: encodeBase64Url(encodeBinary(token)), account, sessionId }
}
