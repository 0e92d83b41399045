/** `POST /api/v2/tokens/exchange`: a root macaroon and its discharge become an authentication macaroon. */
import type { MacaroonResponse } from '@ratafia/api'
import { DEFAULT_LIMITS, encodeBase64Url, encodeBinary, type UnverifiedSlice } from '@ratafia/macaroon'
import { RequestError, unauthorized } from '../errors.ts'
import { firstThatHolds, type Presented } from './first-valid-slice.ts'
import { fitsCaveat, mintToken, OWN_CAVEATS } from './root-macaroon.ts'
import { type VerifyDependencies, verifyPresented } from './verify-presented.ts'

export interface ExchangeDependencies extends VerifyDependencies {
  /** The host of the base URL. */
  readonly location: string
}

/**
 * Exchanges the first of the slices that is a root with its discharge. The same root may be exchanged again, by
 * the same person, while its session stands: the token is a further one of that session.
 * Throws {@link RequestError} as {@link verifyPresented} does, and `limit-exceeded` when a token could not hold the
 * limits.
 */
export async function exchange(presented: Presented, deps: ExchangeDependencies): Promise<MacaroonResponse> {
  return { macaroon: await firstThatHolds(presented, (slice) => exchangeSlice(slice, deps)) }
}

async function exchangeSlice(slice: UnverifiedSlice, deps: ExchangeDependencies): Promise<string> {
  const minted = await deps.keyring.resolve(slice[0].id)
  if (minted?.kind === 'token') {
    throw unauthorized('This is a token already. Exchange takes a root macaroon and its discharge.')
  }
  if (slice[0].caveats.slice(OWN_CAVEATS).some((caveat) => caveat.verificationId !== undefined)) {
    // It would be gone from the token, which would then be wider than the root was.
    throw unauthorized(
      'The root macaroon has a further third-party caveat, which a token cannot keep. Use it without.',
    )
  }
  const { cleared } = await verifyPresented(slice, deps)
  if (!fitsCaveat(cleared.attenuations)) {
    throw new RequestError(
      'limit-exceeded',
      `The limits on the root macaroon together are longer than the ${DEFAULT_LIMITS.conditionBytes} bytes a caveat of a token holds. Use one with fewer caveats.`,
    )
  }
  const token = mintToken(
    {
      ...(await deps.keyring.mintId('token')),
      location: deps.location,
      expires: cleared.sessionExpires,
      since: deps.clock(),
      sessionId: cleared.sessionId,
      // Already the intersection of what was asked for with what the holder added.
      attenuations: cleared.attenuations,
    },
    { key: deps.identity.key, value: cleared.subject },
  )
  return encodeBase64Url(encodeBinary(token))
}
