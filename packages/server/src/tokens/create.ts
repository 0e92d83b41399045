/** `POST /api/v2/tokens`: issues a root macaroon. Requires no authentication and writes nothing. */
import { type MacaroonResponse, newSessionId } from '@ratafia/api'
import { encodeJson } from '@ratafia/macaroon'
import { encodeCaveatId } from '@ratafia/macaroon/bakery'
import { formatNeedDeclared } from '@ratafia/macaroon/conditions'
import type { PackageReference } from '../package-directory/resolve.ts'
import { randomId } from '../random.ts'
import { formatSummary } from '../third-party/request-summary.ts'
import type { TokenDependencies } from './dependencies.ts'
import { checkTokenRequest, type TokenRequest } from './requested-token.ts'
import { mintRoot, rootPayload } from './root-macaroon.ts'

/** Returns the root macaroon. Throws {@link RequestError} as {@link checkTokenRequest} does. */
export async function createToken(request: TokenRequest, deps: TokenDependencies): Promise<MacaroonResponse> {
  const { since, expires, description, attenuations, extra } = await checkTokenRequest(request, deps)
  const thirdParty = await deps.thirdParty()
  const authenticated = deps.identity.key === 'userid' ? 'is-authenticated-userid' : 'is-authenticated-user'
  // A first login through an external service can create an account, which gets the username it has there.
  const keys = deps.identity.bundled ? [deps.identity.key] : [...new Set([deps.identity.key, 'username'])]
  const summary = thirdParty.acceptsSummary
    ? ` for ${formatSummary({ ...attenuations, expires, description, packages: request.packages?.map(shown) ?? null, service: deps.baseUrl })}`
    : ''
  const caveatRootKey = randomId(24)
  const root = mintRoot(
    {
      ...(await deps.keyring.mintId('token-root', rootPayload(deps.identity, description))),
      location: deps.location,
      expires,
      since,
      sessionId: newSessionId(),
      extra,
    },
    {
      location: thirdParty.location,
      caveatRootKey,
      caveatId: encodeCaveatId({
        // The root is bakery version 2, which has no room for a payload outside the caveat id.
        version: thirdParty.version >= 2 ? 2 : 1,
        condition: formatNeedDeclared({ keys, condition: authenticated + summary }),
        rootKey: caveatRootKey,
        thirdPartyPublicKey: thirdParty.publicKey,
        firstParty: await deps.keyring.sealingKeyPair(),
        nonce: randomId(24),
      }),
    },
  )
  return { macaroon: JSON.stringify(encodeJson(root)) }
}

/** Returns the package's name and id. Without a directory nothing ties them together, and only the id matters. */
const shown = ({ name = '', snap_id: id }: PackageReference): string =>
  id === undefined ? name : name === '' ? id : `${id} (${name})`
