/** `POST /api/v2/tokens`: a root macaroon. Needs no authentication and writes nothing. */
import {
  type CreateTokenRequest,
  MAX_ATTENUATION_BYTES,
  type MacaroonResponse,
  newSessionId,
} from '@ratafia/api'
import { encodeJson } from '@ratafia/macaroon'
import { encodeCaveatId } from '@ratafia/macaroon/bakery'
import { type Attenuations, formatNeedDeclared } from '@ratafia/macaroon/conditions'
import { invalidField, RequestError } from '../errors.ts'
import { formatSummary } from '../identity/discharge/request-summary.ts'
import type { PackageReference } from '../package-directory/resolve.ts'
import { randomId } from '../random.ts'
import type { TokenDependencies } from './dependencies.ts'
import { tokenEnd } from './expiry.ts'
import { extraCaveat, mintRoot, rootPayload } from './root-macaroon.ts'

/** Throws {@link RequestError} `invalid-field`, `package-not-found`, `limit-exceeded`. */
export async function createToken(
  request: CreateTokenRequest,
  deps: TokenDependencies,
): Promise<MacaroonResponse> {
  const now = deps.clock()
  const expires = tokenEnd(request.expires, { ...deps.lifetime, now })
  const description = checkDescription(request.description)
  const attenuations: Attenuations = {
    channels: request.channels ?? null,
    packages: request.packages ? await deps.snapIds(request.packages) : null,
    permissions: request.permissions ?? null,
    storeIds: request.store_ids ?? null,
  }
  const extra = extraCaveat(attenuations)
  if (extra === undefined) {
    throw new RequestError(
      'limit-exceeded',
      `channels, packages, permissions and store_ids together have over ${MAX_ATTENUATION_BYTES} bytes, each item with 6 more than its length. Ask for fewer.`,
    )
  }

  const thirdParty = await deps.thirdParty()
  const authenticated = deps.identity.key === 'userid' ? 'is-authenticated-userid' : 'is-authenticated-user'
  // A first login through an external service may make an account, which is named by the username there.
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
      since: now,
      sessionId: newSessionId(),
      extra,
    },
    {
      location: thirdParty.location,
      caveatRootKey,
      caveatId: encodeCaveatId({
        // The root is bakery version 2, which has no room for a payload beside the caveat id.
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

function checkDescription(description: string | undefined): string | undefined {
  if (description !== undefined && /(?![\t\r\n])\p{Cc}|\p{Cs}/u.test(description)) {
    const message =
      'body/description has control characters other than line breaks and tabs, or broken text. Use plain text.'
    throw invalidField(message, { field: 'body/description' })
  }
  return description
}

/** Without a directory nothing ties the name to the id. The id is what counts, so always show it. */
const shown = ({ name = '', snap_id: id }: PackageReference): string =>
  id === undefined ? name : name === '' ? id : `${id} (${name})`
