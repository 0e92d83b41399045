/** The headers of answers. */

interface Header {
  readonly description: string
  readonly schema: object
  readonly required?: boolean
}

const HEADERS = {
  'Snap-Store-Version': {
    description: 'The version of the API as a whole',
    required: true,
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'WWW-Authenticate': {
    description:
      'The missing credential: `Macaroon realm="Ratafia"`, `ApiKey realm="Ratafia"`, `Macaroon refresh_device_session=1` for a device session, or `Macaroon needs_refresh=1` for a fresh discharge. The identity service sends `Macaroon`, and only with `interaction required`.',
    schema: { type: 'string' },
  },
  'Accept-Encoding': {
    description: 'The codings that bodies of requests can have: `identity`, which means unencoded',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'The seconds after which a retry makes sense',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  ETag: { description: 'The version of the record, for `If-Match`', schema: { type: 'string' } },
  Location: { description: 'The address of the new record', schema: { type: 'string' } },
  'Preference-Applied': {
    description: '`wait=SECONDS`: how long the request could wait',
    schema: { type: 'string' },
  },
  'Ratafia-Dry-Run': { description: '`true`: nothing was changed', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: '`true`: the response to the first request with this `Idempotency-Key`',
    schema: { type: 'string' },
  },
  'Content-Disposition': { description: 'A name for the file', schema: { type: 'string' } },
  'Content-Encoding': { description: '`gzip`, if the request accepts it', schema: { type: 'string' } },
  'Cache-Control': { description: '`no-store`', schema: { type: 'string' } },
  Vary: { description: 'The headers that carry credentials', schema: { type: 'string' } },
  'Ratafia-Brand': { description: '`brand-id` of the answer', schema: { type: 'string' } },
  'Ratafia-Model': { description: '`model` of the answer', schema: { type: 'string' } },
  'Ratafia-Serial': { description: '`serial` of the answer', schema: { type: 'string' } },
  'Ratafia-Store': { description: '`store` of the answer, unless it is null', schema: { type: 'string' } },
  'Ratafia-Device-Key': {
    description: '`device-key-sha3-384` of the answer',
    schema: { type: 'string' },
  },
  'Ratafia-Session': { description: '`session-id` of the answer', schema: { type: 'string' } },
  'Ratafia-Valid-Until': { description: '`valid-until` of the answer', schema: { type: 'string' } },
} as const satisfies Record<string, Header>

export type HeaderName = keyof typeof HEADERS

/** Headers that a proxy reads instead of the body. `%` and all but printable ASCII are percent-encoded. */
export const DEVICE_HEADERS = [
  'Ratafia-Brand',
  'Ratafia-Model',
  'Ratafia-Serial',
  'Ratafia-Store',
  'Ratafia-Device-Key',
  'Ratafia-Session',
  'Ratafia-Valid-Until',
] as const satisfies readonly HeaderName[]

/** The headers for `components`. */
export const headerComponents: Readonly<Record<string, Header>> = HEADERS

/** Returns references to the headers of one answer. */
export const headersNamed = (names: readonly HeaderName[]): Readonly<Record<string, object>> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
