/**
 * `POST /api/v2/tokens/export`: returns a login in every form that publisher tools accept as a stored
 * credential (contract/publisher-login.md, decision 24). The root and its discharge are minted here, for an
 * open session, and are not stored.
 */
import type { ExportResponse } from '@ratafia/api'
import { encodeBase64Url, encodeBinary } from '@ratafia/macaroon'
import { unauthorized } from '../../errors.ts'
import { DEVELOPER_TOKENS, firstValidSlice, type Presented } from '../authentication/first-valid-slice.ts'
import type { RequestDependencies } from '../dependencies.ts'
import { tokenFor, verifyForToken } from '../exchange.ts'
import { mintPair } from './password-root.ts'

/** Exports the login. Throws as `exchange` does. */
export const exportLogin = (presented: Presented, deps: RequestDependencies): Promise<ExportResponse> =>
  firstValidSlice(presented, { keyring: deps.keyring, taken: DEVELOPER_TOKENS }, async (slice, macaroon) => {
    if (macaroon.kind === 'token') {
      throw unauthorized('This is a token. An export requires a root macaroon and its discharge.')
    }
    const login = await verifyForToken(slice, macaroon, deps)
    const { sessionId, sessionExpires: expires, subject } = login.cleared
    const { root, discharge } = await mintPair(
      { sessionId, since: deps.clock(), expires, extra: login.extra, subject },
      deps,
    )
    return {
      'session-id': sessionId,
      root: encodeBase64Url(encodeBinary(root)),
      discharge: encodeBase64Url(encodeBinary(discharge)),
      macaroon: (await tokenFor(login, deps)).token,
    }
  })
