/** A refusal in HTTP: its status, headers and body, however it is sent. */
import { API_VERSION, ERROR_CODES, type ErrorBody, type ErrorCode } from '@ratafia/api'

/** The realm in `WWW-Authenticate` and in the `extra` of a 401. */
export const REALM = 'Ratafia'

/**
 * Challenges of 401s that ask for something other than a token. The first makes snapd refresh its session
 * (contract/devices.md 1.3), and the second makes tools refresh a discharge: they compare the whole header
 * (contract/publisher-login.md, 20).
 */
const CHALLENGES: ReadonlyMap<ErrorCode, string> = new Map([
  ['device-session-required', 'Macaroon refresh_device_session=1'],
  ['macaroon-needs-refresh', 'Macaroon needs_refresh=1'],
  ['invalid-api-key', `ApiKey realm="${REALM}"`],
  // The words of RFC 9470.
  [
    'recent-sign-in-required',
    `Macaroon realm="${REALM}", error="insufficient_user_authentication", max_age=900`,
  ],
])

export interface Refusal {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly extra: Readonly<Record<string, unknown>>
  /** Whole seconds until a retry makes sense. */
  readonly retryAfter: number | undefined
  /** Whether the connection is closed after this answer. */
  readonly close: boolean
}

interface RefusalOptions {
  /** Default: the code's status. */
  readonly status?: number
  readonly extra?: Readonly<Record<string, unknown>>
  /** Default: 1 for a 503 and for a busy idempotency key. */
  readonly retryAfter?: number
  readonly close?: boolean
}

export function refusal(code: ErrorCode, message: string, options: RefusalOptions = {}): Refusal {
  const { status = ERROR_CODES[code].status, extra = {}, close = false } = options
  const isPassing = status === 503 || code === 'idempotency-key-busy'
  const { retryAfter = isPassing ? 1 : undefined } = options
  return {
    status,
    code,
    message,
    extra: status === 401 && code !== 'macaroon-needs-refresh' ? { realm: REALM, ...extra } : extra,
    retryAfter,
    close,
  }
}

/** Returns the list of errors, under both of the store's spellings. */
export function errorBody({ code, message, extra }: Refusal): ErrorBody {
  const list = [{ code, message, extra: { ...extra } }]
  return { error_list: list, 'error-list': list }
}

/** Returns every header of the answer except `Content-Length`. */
export function headersOf({ status, code, extra, retryAfter, close }: Refusal): Record<string, string> {
  const { allowed } = extra
  return {
    'content-type': 'application/json',
    'snap-store-version': String(API_VERSION),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...(status === 401 ? { 'www-authenticate': CHALLENGES.get(code) ?? `Macaroon realm="${REALM}"` } : {}),
    ...(status === 405 && Array.isArray(allowed) ? { allow: allowed.join(', ') } : {}),
    // The codings that a body can have (RFC 9110, 12.5.3).
    ...(status === 415 ? { 'accept-encoding': 'identity' } : {}),
    ...(close ? { connection: 'close' } : {}),
  }
}
