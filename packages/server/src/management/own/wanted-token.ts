/** What the owner of a session in the console wants a token of their own to be, as a form gives it. */
import { isPermission, MAX_DESCRIPTION_LENGTH } from '@ratafia/api'
import { invalidField, invalidFields } from '../../errors.ts'
import { packageReference } from '../../package-directory/package-reference.ts'
import type { TokenRequest } from '../../tokens/requested-token.ts'
import { type LimitNames, readLimits } from '../../tokens/wanted-limits.ts'

/** An absent or empty list means no limit. */
export interface WantedToken {
  readonly permissions?: readonly string[] | undefined
  readonly channels?: readonly string[] | undefined
  /** Names or snap ids. */
  readonly packages?: readonly string[] | undefined
  readonly storeIds?: readonly string[] | undefined
  /** Absent: as long as tokens last here. */
  readonly expires?: Date | undefined
  readonly description?: string | undefined
}

const named = (field: string, shown: string) => ({
  ...{ field: `body/${field}`, shown: `The ${shown}`, many: `${field.replace('_', ' ')}` },
})

/** As the API names its fields. */
const NAMES: LimitNames = {
  permission: named('permissions', 'permission'),
  channel: named('channels', 'channel'),
  package: named('packages', 'package'),
  store: named('store_ids', 'store'),
}

/**
 * The same as a request for a root macaroon has it. Throws {@link RequestError} `invalid-field`, with the field that is
 * wrong.
 */
export function requestOf({ expires, description, ...wanted }: WantedToken): TokenRequest {
  const { limits, problems } = readLimits(wanted, NAMES)
  if (problems.length > 0) throw invalidFields(problems)
  if (description !== undefined && description.length > MAX_DESCRIPTION_LENGTH) {
    const field = 'body/description'
    throw invalidField(`${field} has more than ${MAX_DESCRIPTION_LENGTH} characters.`, { field })
  }
  const { permissions, channels, packages, storeIds } = limits
  return {
    ...(permissions && { permissions: permissions.filter(isPermission) }),
    ...(channels && { channels: [...channels] }),
    ...(packages && { packages: packages.map(packageReference) }),
    ...(storeIds && { store_ids: [...storeIds] }),
    ...(expires && { expires: isoOf(expires) }),
    ...(description !== undefined && description !== '' && { description }),
  }
}

/** Throws {@link RequestError} `invalid-field` for a time that there is not. */
function isoOf(expires: Date): string {
  const field = 'body/expires'
  if (!Number.isNaN(expires.getTime())) return expires.toISOString()
  throw invalidField(`${field} is a date or time that does not exist.`, { field })
}
