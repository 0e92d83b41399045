/**
 * `POST /v1/tokens/offline/exchange`: a further token of the session of a credential that a tool was given in a variable
 * (contract/publisher-login.md, decision 27).
 */
import type { MacaroonResponse } from '@ratafia/api'
import { DEVELOPER_TOKENS, firstValidSlice, type Presented } from '../authentication/first-valid-slice.ts'
import type { RequestDependencies } from '../dependencies.ts'
import { tokenFor, verifyForToken } from '../exchange.ts'

/** Throws as `exchange` does, but takes a token, too. */
export async function offlineExchange(
  presented: Presented,
  deps: RequestDependencies,
): Promise<MacaroonResponse> {
  const { token } = await firstValidSlice(
    presented,
    { keyring: deps.keyring, taken: DEVELOPER_TOKENS },
    async (slice, macaroon) => tokenFor(await verifyForToken(slice, macaroon, deps), deps),
  )
  return { macaroon: token }
}
