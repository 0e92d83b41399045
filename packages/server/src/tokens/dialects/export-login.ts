/**
 * `POST /api/v2/tokens/export`: a login in every form that publisher tools take as a stored credential
 * (contract/publisher-login.md, decision 24). The root and its discharge are minted here, for a session that is open, and
 * are stored nowhere.
 */
import type { ExportResponse } from '@ratafia/api'
import { encodeBase64Url, encodeBinary } from '@ratafia/macaroon'
import { unauthorized } from '../../errors.ts'
import { mintDischarge } from '../../identity/passwords/discharge-macaroon.ts'
import { DEVELOPER_TOKENS, firstValidSlice, type Presented } from '../authentication/first-valid-slice.ts'
import type { RequestDependencies } from '../dependencies.ts'
import { tokenFor, verifyForToken } from '../exchange.ts'
import { mintPasswordRoot } from './password-root.ts'

/**
 * The discharge lasts as long as the session: a shorter one would cost every command two more requests, and session and
 * account are checked at each use. Throws as `exchange` does.
 */
export const exportLogin = (presented: Presented, deps: RequestDependencies): Promise<ExportResponse> =>
  firstValidSlice(presented, { keyring: deps.keyring, taken: DEVELOPER_TOKENS }, async (slice, macaroon) => {
    if (macaroon.kind === 'token') {
      throw unauthorized('This is a token. An export takes a root macaroon and its discharge.')
    }
    const login = await verifyForToken(slice, macaroon, deps)
    const { sessionId, sessionExpires: expires, subject: value } = login.cleared
    const since = deps.clock()
    const { loginHost: caveatLocation } = await deps.thirdParty()
    const minted = { since, expires, sessionId, extra: login.extra, description: undefined, caveatLocation }
    const { root, caveatId, caveatRootKey } = await mintPasswordRoot(minted, deps)
    const discharge = mintDischarge({
      rootKey: caveatRootKey,
      id: caveatId,
      location: caveatLocation,
      declared: { key: deps.identity.key, value },
      expires,
      givenAt: since,
    })
    return {
      'session-id': sessionId,
      root: encodeBase64Url(encodeBinary(root)),
      discharge: encodeBase64Url(encodeBinary(discharge)),
      macaroon: (await tokenFor(login, deps)).token,
    }
  })
