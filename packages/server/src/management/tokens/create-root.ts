/** `POST /api/management/v1/tokens/root`: a management token's root. Needs no authentication and writes nothing. */
import { type MacaroonResponse, newSessionId, type Role } from '@ratafia/api'
import { encodeJson } from '@ratafia/macaroon'
import { encodeCaveatId } from '@ratafia/macaroon/bakery'
import { formatNeedDeclared } from '@ratafia/macaroon/conditions'
import { invalidField } from '../../errors.ts'
import { isBrandId } from '../../grants/grant.ts'
import { formatLimits, type RoleLimits } from '../../grants/manage-caveat.ts'
import { randomId } from '../../random.ts'
import { formatSummary } from '../../third-party/request-summary.ts'
import { SIGNED_IN_KEY } from '../../third-party/signed-in.ts'
import { checkDescription } from '../../tokens/requested-token.ts'
import { mintRoot, rootPayload } from '../../tokens/root-macaroon.ts'
import type { ManagementDependencies } from '../dependencies.ts'

export interface WantedManagementToken {
  /** The requested roles; absent for all that the account has. */
  readonly roles?: readonly Role[]
  readonly brands?: readonly string[]
  readonly read_only?: boolean
  /** The lifetime in seconds. */
  readonly lifetime?: number
  /** How long ago the user can have signed in to the browser, in seconds. */
  readonly max_age?: number
  /** The action to confirm, as in `request-summary.ts`. Only the console sets it, never a request. */
  readonly confirms?: string
  readonly description?: string
}

/** Throws `invalid-field`. */
export async function createManagementRoot(
  wanted: WantedManagementToken,
  deps: ManagementDependencies,
): Promise<MacaroonResponse> {
  const { keyring, identity, location, baseUrl, clock } = deps
  const since = clock()
  const limits: RoleLimits = {
    roles: wanted.roles ?? null,
    brands: checkBrands(wanted.brands) ?? null,
    readOnly: wanted.read_only === true,
  }
  const expires = new Date(since.getTime() + lifetimeOf(wanted, deps))
  const description = checkDescription(wanted.description)
  const thirdParty = await deps.thirdParty()
  const summary = thirdParty.acceptsSummary
    ? ` for ${formatSummary({
        ...{ service: baseUrl, expires, description, administers: limits, maxAge: wanted.max_age },
        confirms: wanted.confirms,
        ...{ permissions: null, channels: null, packages: null, storeIds: null },
      })}`
    : ''
  const authenticated = identity.key === 'userid' ? 'is-authenticated-userid' : 'is-authenticated-user'
  const caveatRootKey = randomId(24)
  const root = mintRoot(
    {
      ...(await keyring.mintId('management-root', rootPayload(identity, description))),
      ...{ location, expires, since, sessionId: newSessionId(), extra: formatLimits(limits) },
    },
    {
      location: thirdParty.location,
      caveatRootKey,
      caveatId: encodeCaveatId({
        // The root is bakery version 2, which has no room for a payload besides the caveat id.
        version: thirdParty.version >= 2 ? 2 : 1,
        condition: formatNeedDeclared({
          // An external identity service names the account that a first login creates.
          keys: [...new Set([identity.key, ...(identity.bundled ? [] : ['username']), SIGNED_IN_KEY])],
          condition: authenticated + summary,
        }),
        rootKey: caveatRootKey,
        thirdPartyPublicKey: thirdParty.publicKey,
        firstParty: await keyring.sealingKeyPair(),
        nonce: randomId(24),
      }),
    },
  )
  return { macaroon: JSON.stringify(encodeJson(root)) }
}

function lifetimeOf(
  { lifetime }: WantedManagementToken,
  { lifetime: { standard, most } }: Pick<ManagementDependencies, 'lifetime'>,
): number {
  if (lifetime === undefined) return standard
  if (lifetime * 1000 <= most) return lifetime * 1000
  throw invalidField(
    `body/lifetime is longer than this service allows: at most ${most / 1000} seconds. A management token cannot be renewed; log in again.`,
    { field: 'body/lifetime' },
  )
}

function checkBrands(brands: readonly string[] | undefined): readonly string[] | undefined {
  const wrong = brands?.find((brand) => !isBrandId(brand))
  if (wrong === undefined) return brands
  throw invalidField(`body/brands: ${JSON.stringify(wrong.slice(0, 64))} is not the account id of a brand.`, {
    field: 'body/brands',
  })
}
