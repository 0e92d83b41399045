/** The variables of devices: their sessions, registration and signing. */
import { optional, row } from '../row.ts'
import { oneOf, parseCount, parseDuration, parseHeaderNames, parsePath, parseServiceUrls } from '../values.ts'

export const DEVICE_VARIABLES = {
  RATAFIA_DEVICE_SESSION_LIFETIME: row({
    default: '24h',
    meaning: 'Lifetime of a device session; snapd then refreshes it by itself',
    parse: parseDuration,
  }),
  RATAFIA_UNKNOWN_SESSIONS: row({
    default: 'refuse',
    meaning:
      '`refuse` or `ignore`: what to do when a device refreshes a session this service did not issue; `ignore` after losing the keys',
    parse: oneOf('refuse', 'ignore'),
  }),
  RATAFIA_DEVICE_SERVICE_PATH: row({
    default: '/v1',
    meaning:
      "Path of `request-id` and `serial`: the base URL with this path is a gadget's `device-service.url`",
    parse: parsePath,
  }),
  RATAFIA_DEVICE_SERVICE_URLS: optional({
    default: 'none',
    meaning:
      'Comma-separated addresses of other device services to which registrations may be forwarded (`X-Snap-Device-Service-URL`)',
    parse: parseServiceUrls,
  }),
  RATAFIA_DEVICE_SERVICE_HEADERS: optional({
    default: 'none',
    meaning:
      'Comma-separated names of headers to forward with such a registration, besides api-key and those of snapd: the ones in `device-service.headers` of the gadgets',
    parse: parseHeaderNames,
  }),
  RATAFIA_SIGNING_QUEUE: row({
    default: '256',
    meaning: 'Serials that may wait to be signed; any more get 503 at once',
    parse: parseCount,
  }),
  RATAFIA_MAX_WAITING_DEVICES: row({
    default: '500',
    meaning:
      'Devices of one model that may wait for approval from one address (IPv6: /64); from its /24 (/48) twice as many, from its /16 (/32) eight times as many. Any more get 503',
    parse: parseCount,
  }),
} as const
