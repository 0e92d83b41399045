/** The variables of devices: their sessions, registration and signing. */
import { optional, row } from '../row.ts'
import { oneOf, parseCount, parseDuration, parseHeaderNames, parsePath, parseServiceUrls } from '../values.ts'

export const DEVICE_VARIABLES = {
  RATAFIA_DEVICE_SESSION_LIFETIME: row({
    default: '24h',
    meaning: 'Lifetime of a device session; snapd then refreshes it automatically',
    parse: parseDuration,
  }),
  RATAFIA_UNKNOWN_SESSIONS: row({
    default: 'refuse',
    meaning:
      '`refuse` or `ignore`: what to do if a device refreshes a session that this service did not issue; use `ignore` after losing the keys',
    parse: oneOf('refuse', 'ignore'),
  }),
  RATAFIA_DEVICE_SERVICE_PATH: row({
    default: '/v1',
    meaning:
      "Path of `request-id` and `serial`. The base URL with this path is a gadget's `device-service.url`",
    parse: parsePath,
  }),
  RATAFIA_DEVICE_SERVICE_URLS: optional({
    default: 'none',
    meaning:
      'Comma-separated URLs of other device services that registrations can be forwarded to (`X-Snap-Device-Service-URL`)',
    parse: parseServiceUrls,
  }),
  RATAFIA_DEVICE_SERVICE_HEADERS: optional({
    default: 'none',
    meaning:
      'Comma-separated names of additional headers to forward with a forwarded registration, besides api-key and the headers of snapd: those in `device-service.headers` of the gadgets',
    parse: parseHeaderNames,
  }),
  RATAFIA_SIGNING_QUEUE: row({
    default: '256',
    meaning: 'How many serials can wait to be signed. Further requests get 503 at once',
    parse: parseCount,
  }),
  RATAFIA_MAX_WAITING_DEVICES: row({
    default: '500',
    meaning:
      'How many devices of one model can wait for approval from one address (IPv6: /64); from its /24 (/48) twice as many, from its /16 (/32) eight times as many. Further devices get 503',
    parse: parseCount,
  }),
} as const
