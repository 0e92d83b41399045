/** The headers of answers. */

interface Header {
  readonly description: string
  readonly schema: object
  readonly required?: boolean
}

const text = (description: string): Header => ({ description, schema: { type: 'string' } })

const HEADERS = {
  'Snap-Store-Version': {
    description: 'The version of the API as a whole',
    required: true,
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'WWW-Authenticate': text(
    'The missing credential: `Macaroon realm="Ratafia"`, `ApiKey realm="Ratafia"`, `Macaroon refresh_device_session=1` for a device session, or `Macaroon needs_refresh=1` for a fresh discharge. The identity service sends `Macaroon`, and only with `interaction required`.',
  ),
  'Accept-Encoding': text('The codings that bodies of requests can have: `identity`, which means unencoded'),
  'Retry-After': {
    description: 'The seconds after which a retry makes sense',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  ETag: text('The version of the record, for `If-Match`'),
  Location: text('The address of the new record'),
  'Preference-Applied': text('`wait=SECONDS`: how long the request could wait'),
  'Ratafia-Dry-Run': text('`true`: nothing was changed'),
  'Idempotent-Replayed': text('`true`: the response to the first request with this `Idempotency-Key`'),
  'Content-Disposition': text('A name for the file'),
  'Content-Encoding': text('`gzip`, if the request accepts it'),
  'Cache-Control': text('`no-store`'),
  Vary: text('The headers that carry credentials'),
  'Ratafia-Brand': text('`brand-id` of the answer'),
  'Ratafia-Model': text('`model` of the answer'),
  'Ratafia-Serial': text('`serial` of the answer'),
  'Ratafia-Store': text('`store` of the answer, unless it is null'),
  'Ratafia-Device-Key': text('`device-key-sha3-384` of the answer'),
  'Ratafia-Session': text('`session-id` of the answer'),
  'Ratafia-Valid-Until': text('`valid-until` of the answer'),
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
