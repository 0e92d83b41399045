/** Checks a request for a root macaroon, in the specified API and in every dialect of the publisher tools. */
import { type AnyPermission, type CreateTokenRequest, MAX_ATTENUATION_BYTES } from '@ratafia/api'
import type { Attenuations } from '@ratafia/macaroon/conditions'
import { invalidField, RequestError } from '../errors.ts'
import type { TokenDependencies } from './dependencies.ts'
import { type AskedLifetime, tokenEnd } from './expiry.ts'
import { extraCaveat } from './wanted-limits.ts'

export interface TokenRequest extends Omit<CreateTokenRequest, 'permissions' | 'expires'>, AskedLifetime {
  readonly permissions?: readonly AnyPermission[]
}

export interface RequestedToken {
  readonly since: Date
  readonly expires: Date
  readonly description: string | undefined
  readonly attenuations: Attenuations
  /** The caveat with the same limits. */
  readonly extra: string
}

/** Checks the request. Throws {@link RequestError} `invalid-field`, `package-not-found` or `limit-exceeded`. */
export async function checkTokenRequest(
  request: TokenRequest,
  deps: Pick<TokenDependencies, 'clock' | 'lifetime' | 'snapIds'>,
): Promise<RequestedToken> {
  const since = deps.clock()
  const expires = tokenEnd(request, { ...deps.lifetime, now: since })
  const description = checkDescription(request.description)
  const attenuations: Attenuations = {
    channels: request.channels ?? null,
    packages: request.packages ? await deps.snapIds(request.packages) : null,
    permissions: request.permissions ?? null,
    storeIds: request.store_ids ?? null,
  }
  const extra = extraCaveat(attenuations)
  if (extra !== undefined) return { since, expires, description, attenuations, extra }
  throw new RequestError(
    'limit-exceeded',
    `channels, packages, permissions and store_ids together have over ${MAX_ATTENUATION_BYTES} bytes, where each item counts its length plus 6. Request fewer.`,
  )
}

/** Returns the description unchanged. Throws {@link RequestError} `invalid-field` if it has control characters. */
export function checkDescription(
  description: string | undefined,
  field = 'body/description',
): string | undefined {
  if (description !== undefined && /(?![\t\r\n])\p{Cc}|\p{Cs}/u.test(description)) {
    const message = `${field} has control characters other than line breaks and tabs, or invalid Unicode. Use plain text.`
    throw invalidField(message, { field })
  }
  return description
}
