/** What a request for a root macaroon asks for, checked: for the specified API and for every dialect of publishers. */
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
  /** The caveat that says the same. */
  readonly extra: string
}

/** Throws {@link RequestError} `invalid-field`, `package-not-found`, `limit-exceeded`. */
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
    `channels, packages, permissions and store_ids together have over ${MAX_ATTENUATION_BYTES} bytes, each item with 6 more than its length. Ask for fewer.`,
  )
}

/** Throws {@link RequestError} `invalid-field`. */
export function checkDescription(
  description: string | undefined,
  field = 'body/description',
): string | undefined {
  if (description !== undefined && /(?![\t\r\n])\p{Cc}|\p{Cs}/u.test(description)) {
    const message = `${field} has control characters other than line breaks and tabs, or broken text. Use plain text.`
    throw invalidField(message, { field })
  }
  return description
}
