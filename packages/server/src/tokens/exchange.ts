/** `POST /api/v2/tokens/exchange`: a root macaroon and its discharge become an authentication macaroon. */
import { MAX_ATTENUATION_BYTES, type MacaroonResponse } from '@ratafia/api'
import { encodeBase64Url, encodeBinary, type UnverifiedSlice } from '@ratafia/macaroon'
import { RequestError, unauthorized } from '../errors.ts'
import { verifyLogin } from './authentication/authenticate.ts'
import {
  firstValidSlice,
  type Presented,
  type UnverifiedMacaroon,
} from './authentication/first-valid-slice.ts'
import type { RequestDependencies } from './dependencies.ts'
import { extraCaveat, mintToken, OWN_CAVEATS } from './root-macaroon.ts'

/**
 * Exchanges the first slice that is a valid root with its discharge. While its session is neither revoked nor expired,
 * the same person may exchange the same root again and gets another token of that session. Throws {@link RequestError}
 * as {@link verifyLogin} does, and `limit-exceeded` when the limits do not fit into a token.
 */
export async function exchange(presented: Presented, deps: RequestDependencies): Promise<MacaroonResponse> {
  return {
    macaroon: await firstValidSlice(presented, deps.keyring, (slice, root) =>
      exchangeSlice(slice, root, deps),
    ),
  }
}

async function exchangeSlice(
  slice: UnverifiedSlice,
  root: UnverifiedMacaroon,
  deps: RequestDependencies,
): Promise<string> {
  if (root.kind === 'token') {
    throw unauthorized('This is already a token. Exchange takes a root macaroon and its discharge.')
  }
  if (slice[0].caveats.slice(OWN_CAVEATS).some((caveat) => caveat.verificationId !== undefined)) {
    // The token would lose this caveat and so be wider than the root.
    throw unauthorized(
      'The root macaroon has an additional third-party caveat, which a token cannot keep. Present it without.',
    )
  }
  const { cleared } = await verifyLogin(slice, root, deps)
  // The intersection of the limits asked for and those the holder added.
  const extra = extraCaveat(cleared.attenuations)
  if (extra === undefined) {
    throw new RequestError(
      'limit-exceeded',
      `The limits on the root macaroon together have over ${MAX_ATTENUATION_BYTES} bytes or over 256 items in a list. Use one with fewer caveats.`,
    )
  }
  const token = mintToken(
    {
      ...(await deps.keyring.mintId('token')),
      location: deps.location,
      expires: cleared.sessionExpires,
      since: deps.clock(),
      sessionId: cleared.sessionId,
      extra,
    },
    { key: deps.identity.key, value: cleared.subject },
  )
  return encodeBase64Url(encodeBinary(token))
}
