/** Requests of the worst publisher tools, with absurd passwords, codes, caveat ids and discharges. */
import { encodeBase64Url, encodeBinary } from '@ratafia/macaroon'
import fc from 'fast-check'
import { PASSWORD } from '../support/publishers.ts'
import type { RawRequest } from './pipeline.ts'
import { anyText, anyValue, caveatIds, discharges, type PublisherSeeds, packets } from './publisher-texts.ts'
import { base64, credentials, headerText, jsonRequestsTo, type Seeds } from './requests.ts'

/** A trusted proxy reports where a request comes from, so that the throttle allows many. */
export const BEHIND_PROXY = { RATAFIA_TRUSTED_PROXIES: '127.0.0.1' }

const anywhere = fc
  .tuple(fc.nat({ max: 255 }), fc.nat({ max: 255 }), fc.nat({ max: 255 }))
  .map((bytes) => ({ 'x-forwarded-for': `10.${bytes.join('.')}`, 'x-forwarded-proto': 'https' }))

const names = ({ account, careful }: PublisherSeeds) =>
  fc.oneof(
    // With the right password, any code is examined.
    fc.constantFrom(careful.username, careful.email),
    fc.constantFrom(account.username, account.email, account.id, account.email.toUpperCase()),
    anyText.map((text) => `${account.username}${text}`),
    anyText.map((text) => `${text}@example.com`),
    anyValue,
  )

/** Cut below the size that closes the connection. */
const MOST = 65_000

const post = (path: string, headers: RawRequest['headers'], body: unknown): RawRequest => ({
  method: 'POST',
  path,
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify(body).slice(0, MOST),
})

/** Requests with passwords for a caveat. */
export function passwordRequests({ publisher }: Seeds): fc.Arbitrary<RawRequest> {
  return fc
    .tuple(
      fc.record(
        {
          email: names(publisher),
          password: fc.oneof(fc.constant(PASSWORD), anyValue),
          caveat_id: caveatIds(publisher),
          otp: fc.oneof(fc.constantFrom('', '000000', null), anyValue),
          x: anyValue,
        },
        { requiredKeys: ['email', 'password', 'caveat_id'] },
      ),
      anywhere,
    )
    .map(([body, headers]) => post('/api/v2/tokens/discharge', headers, body))
}

/** Requests with discharges to refresh. */
export function refreshRequests({ publisher }: Seeds): fc.Arbitrary<RawRequest> {
  return fc
    .tuple(fc.oneof({ weight: 6, arbitrary: discharges(publisher) }, anyValue), anywhere)
    .map(([discharge_macaroon, headers]) => post('/api/v2/tokens/refresh', headers, { discharge_macaroon }))
}

const ofPair = ({ publisher: { root, discharge } }: Seeds) => ({ token: root, slice: [root, discharge] })

/** Strings in which tools store credentials. */
function storedCredentials(seeds: Seeds): fc.Arbitrary<string> {
  const value = fc.oneof(discharges(seeds.publisher), base64(packets), anyValue)
  const json = fc
    .oneof(
      fc.dictionary(fc.constantFrom('r', 'd', 't', 'v', '__proto__'), value),
      fc
        .tuple(
          fc.constantFrom('u1-macaroon', 'macaroon', 'bearer', '__proto__'),
          fc.oneof(value, fc.record({ r: value, d: value })),
        )
        .map(([t, v]) => ({ t, v })),
    )
    .map((stored) => JSON.stringify(stored))
  return fc.oneof(json, base64(json.map((text) => Buffer.from(text))), headerText())
}

/** Headers to verify, and stored credentials, in bodies. */
export function credentialBodies(seeds: Seeds): fc.Arbitrary<RawRequest> {
  const headers = fc.oneof(credentials(ofPair(seeds)), credentials(seeds))
  const small = encodeBase64Url(encodeBinary(seeds.token))
  const texts = fc.oneof(
    headers.map(({ authorization, macaroons }) => authorization ?? `Macaroon ${macaroons}`),
    storedCredentials(seeds),
    fc
      .constantFrom('root=', 'root=,', `root=${small},`, `${small},`, 'Macaroon root=A, ', '[', '{"i":')
      .map((piece) => `Macaroon ${piece.repeat(59_000 / piece.length)}`),
    anyValue,
  )
  return fc.oneof(
    fc
      .tuple(texts, anywhere, anyValue)
      .map(([authorization, from, other]) =>
        post('/dev/api/acl/verify/', from, { auth_data: { authorization, http_uri: other } }),
      ),
    fc
      .tuple(texts, anywhere, fc.constantFrom('', '/publishergw'))
      .map(([macaroon, from, prefix]) => post(`${prefix}/v1/tokens/offline/exchange`, from, { macaroon })),
  )
}

const gateways = (...paths: readonly string[]) => paths.flatMap((path) => [path, `/publishergw${path}`])

const READS = ['/dev/api/account', ...gateways('/v1/tokens', '/v1/tokens/whoami'), '/api/v2/tokens/whoami']
const EXCHANGES = [
  '/api/v2/tokens/export',
  ...gateways('/v1/tokens/exchange', '/v1/tokens/usso/exchange', '/v1/tokens/dashboard/exchange'),
]

/** Damaged version 1 roots and discharges, in headers. */
export function pairRequests(seeds: Seeds): fc.Arbitrary<RawRequest> {
  const target = fc.oneof(
    fc.constantFrom(...READS).map((path) => ({ method: 'GET' as const, path })),
    fc.constantFrom(...EXCHANGES).map((path) => ({ method: 'POST' as const, path })),
  )
  return fc
    .tuple(target, credentials(ofPair(seeds)), anywhere)
    .map(([where, headers, from]) => ({ ...where, headers: { ...headers, ...from } }))
}

const BODIES = [
  ...['/dev/api/acl/', '/dev/api/acl/verify/', '/api/v2/tokens/discharge', '/api/v2/tokens/refresh'],
  ...gateways('/v1/tokens', '/v1/tokens/usso', '/v1/tokens/offline/exchange', '/v1/tokens/revoke'),
  ...EXCHANGES,
]
const FIELDS = [
  ...['channels', 'description', 'packages', 'permissions', 'store_ids', 'expires', 'ttl', 'session-id'],
  ...['auth_data', 'authorization', 'macaroon', 'client-description', 'email', 'password'],
  ...['otp', 'caveat_id'],
  ...['discharge_macaroon', '__proto__'],
]

/** Hostile JSON for all these operations. */
export const publisherBodies = (seeds: Seeds): fc.Arbitrary<RawRequest> =>
  fc
    .tuple(jsonRequestsTo(BODIES, FIELDS, `Bearer ${encodeBase64Url(encodeBinary(seeds.token))}`), anywhere)
    .map(([request, from]) => ({ ...request, headers: { ...request.headers, ...from } }))
