/** `POST /api/v2/tokens/exchange`: exchanges a root macaroon and its discharge for a token. */
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
 * Exchanges the first slice that is a valid root with its discharge. Until the session is revoked or expires,
 * the same person can exchange the same root again, for another token of that session. Throws {@link
 * RequestError} as {@link verifyLogin} does, and `limit-exceeded` if the limits do not fit into a token.
 */
export async function exchange(presented: Presented, deps: RequestDependencies): Promise<MacaroonResponse> {
  return { macaroon: (await exchangeLogin(presented, deps)).token }
}

/** The same, but also returns the account and the session of the login. */
export const exchangeLogin = (presented: Presented, deps: RequestDependencies): Promise<ExchangedLogin> =>
  firstValidSlice(presented, { keyring: deps.keyring, taken: DEVELOPER_TOKENS }, async (slice, macaroon) => {
    if (macaroon.kind === 'token') {
      throw unauthorized('This is already a token. Exchange requires a root macaroon and its discharge.')
    }
    return tokenFor(await verifyForToken(slice, macaroon, deps), deps)
  })

/**
 * Verifies a login that a token, or another credential of the same session, can be issued for. Throws as
 * {@link exchange} does.
 */
export async function verifyForToken(
  slice: UnverifiedSlice,
  macaroon: UnverifiedMacaroon,
  deps: RequestDependencies,
): Promise<LimitedLogin> {
  if (slice[0].caveats.slice(OWN_CAVEATS).some((caveat) => caveat.verificationId !== undefined)) {
    // The token would lose this caveat, and so permit more than the root does.
    throw unauthorized(
      'The macaroon has an additional third-party caveat, which a token cannot keep. Present the macaroon without this caveat.',
    )
  }
  const login = await verifyLogin(slice, macaroon, deps)
  // The intersection of the requested limits and those the holder added.
  const extra = extraCaveat(login.cleared.attenuations)
  if (extra !== undefined) return { ...login, extra }
  throw new RequestError(
    'limit-exceeded',
    `The limits of the macaroon together have over ${MAX_ATTENUATION_BYTES} bytes, or a list of over 256 items. Use one with fewer caveats.`,
  )
}

interface LimitedLogin extends VerifiedLogin {
  /** All its limits in one caveat. */
  readonly extra: string
}

/** Issues a token of a login's session. It never permits more than the login, and never lives longer. */
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
