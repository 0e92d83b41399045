/** Checks a request for a root macaroon, in the specified API and in every dialect of the publisher tools. */
import { type AnyPermission, type CreateTokenRequest, MAX_ATTENUATION_BYTES } from '@ratafia/api'
import type { Attenuations } from '@ratafia/macaroon/conditions'
import { invalidField, RequestError } from '../errors.ts'
import type { TokenDependencies } from './dependencies.ts'
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

interface LifetimeRule {
  readonly now: Date
  /** The default lifetime of a token, in milliseconds. */
  readonly standard: number
  /** The longest lifetime that a request may ask for, in milliseconds; undefined for no limit. */
  readonly most: number | undefined
}

// RFC 3339 and the variants that clients send: seconds and zone are optional, and craft-store sends `+00:00`
// (contract/tokens.md, 13). The schema limits the length.
const UTC = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?([Zz]|[+-]00:00)?$/

/** The requested expiry, or the requested lifetime in seconds. */
interface AskedLifetime {
  readonly expires?: string | undefined
  readonly ttl?: number | undefined
}

/** Returns the requested expiry, or the standard one. Throws {@link RequestError} `invalid-field`. */
function tokenEnd({ expires, ttl }: AskedLifetime, { now, standard, most }: LifetimeRule): Date {
  if (ttl !== undefined) {
    if (most === undefined || ttl * 1000 <= most) return new Date(now.getTime() + ttl * 1000)
    const message = `body/ttl is longer than this service allows: at most ${Math.floor(most / 1000)} seconds.`
    throw invalidField(message, { field: 'body/ttl' })
  }
  if (expires === undefined) return new Date(now.getTime() + standard)
  const end = parseUtc(expires)
  if (end <= now) throw badExpiry(`is not in the future: the time here is ${now.toISOString()}`)
  if (most !== undefined && end.getTime() - now.getTime() > most) {
    const latest = new Date(now.getTime() + most).toISOString()
    throw badExpiry(`is later than this service allows: at most ${latest}`)
  }
  return end
}

/** Returns the instant, rounded down to milliseconds. Without a zone it is UTC; offsets other than zero are refused. */
function parseUtc(text: string): Date {
  const match = UTC.exec(text)
  if (!match) {
    const zoned = /[+-](?!00:?00)\d\d:?\d\d$/.test(text)
    throw badExpiry(
      zoned
        ? 'is not in UTC. Write it with Z or +00:00'
        : 'is not an RFC 3339 date and time, such as 2030-01-31T12:00:00Z',
    )
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const millisecond = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  const end = new Date(0)
  end.setUTCFullYear(year, month - 1, day)
  // Date turns 31 February into a day of March, so compare the result with the input.
  const isDay = end.getUTCMonth() === month - 1 && end.getUTCDate() === day
  // Future leap seconds are unknown. Each is read as the second that follows it, as in POSIX.
  const isLeapSecond = hour === 23 && minute === 59 && second === 60
  const isTime = hour < 24 && minute < 60 && (second < 60 || isLeapSecond)
  end.setUTCHours(hour, minute, second, millisecond)
  if (!isDay || !isTime || end.getUTCFullYear() > 9999) {
    throw badExpiry('is a date or time that does not exist')
  }
  return end
}

const badExpiry = (why: string): RequestError =>
  invalidField(`body/expires ${why}.`, { field: 'body/expires' })
