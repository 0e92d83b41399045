/** Requests of the worst clients: random ones, and damaged or wrongly built ones of real clients. */
import {
  addFirstPartyCaveat,
  encodeBase64,
  encodeBase64Url,
  encodeBinary,
  encodeJson,
  type Macaroon,
} from '@ratafia/macaroon'
import fc from 'fast-check'
import type { JobSeeds } from './id-token-requests.ts'
import type { RawRequest } from './pipeline.ts'
import type { PublisherSeeds } from './publisher-texts.ts'

/** The data to damage: real macaroons, caveat ids and sealed texts of the service under test. */
export interface Seeds {
  readonly token: Macaroon
  readonly slice: readonly Macaroon[]
  /** The id of the third-party caveat, sealed to the service's own identity service. */
  readonly caveatId: Uint8Array
  /** The `did` of a visit address. */
  readonly did: string
  readonly publisher: PublisherSeeds
  readonly jobs: JobSeeds
}

/** Text that HTTP allows in a header: Latin-1 without control characters. */
export const headerText = (maxLength = 300) =>
  fc.string({
    maxLength,
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
  })

export const damaged = (bytes: Uint8Array): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(
      fc.constantFrom('flip', 'cut', 'insert', 'repeat', 'swap'),
      fc.nat({ max: bytes.length - 1 }),
      fc.nat({ max: 255 }),
      fc.uint8Array({ maxLength: 40 }),
    )
    .map(([how, at, value, more]) => {
      const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)]
      if (how === 'flip')
        return Buffer.concat([head, Buffer.of((tail[0] ?? 0) ^ (value || 1)), tail.subarray(1)])
      if (how === 'cut') return Buffer.from(head)
      if (how === 'insert') return Buffer.concat([head, more, tail])
      return how === 'repeat' ? Buffer.concat([bytes, tail]) : Buffer.concat([tail, head])
    })

export const base64 = (bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<string> =>
  fc.tuple(bytes, fc.boolean()).map(([value, url]) => (url ? encodeBase64Url(value) : encodeBase64(value)))

/** Conditions with a valid signature around them, because a holder can write anything. */
export const conditions = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc
      .tuple(
        fc.constantFrom(
          ...['time-before', 'time-since', 'extra', 'declared', 'session-id', 'error', 'need-declared', ''],
        ),
        fc.oneof(fc.string({ unit: 'binary', maxLength: 100 }), fc.json({ maxDepth: 4 })),
      )
      .map(([name, argument]) => `${name} ${argument.toWellFormed()}`),
    fc
      .dictionary(
        fc.constantFrom('channel', 'package_id', 'acl', 'store_ids', '__proto__', 'x'),
        fc.oneof(
          fc.jsonValue(),
          fc.array(fc.oneof(fc.string(), fc.constantFrom('*', '[!a]', '?', '[', '*'.repeat(60)))),
        ),
      )
      .map((value) => `extra ${JSON.stringify(value)}`),
    fc.date({ noInvalidDate: true }).map((date) => `time-before ${date.toISOString()}`),
  )
  .map((text) => text.toWellFormed())

export function credentials({
  token,
  slice,
}: Pick<Seeds, 'token' | 'slice'>): fc.Arbitrary<Record<string, string>> {
  const json = slice.map((macaroon) => encodeJson(macaroon) as unknown as Record<string, unknown>)
  const lists = fc.oneof(
    fc.json({ maxDepth: 5 }),
    fc
      .array(
        fc.dictionary(
          fc.constantFrom('i', 'i64', 's', 's64', 'l', 'c', 'v', 'v64', 'm', 'identifier', 'signature'),
          fc.jsonValue(),
        ),
      )
      .map((list) => JSON.stringify(list)),
    fc
      .tuple(
        fc.nat({ max: json.length - 1 }),
        fc.constantFrom('i64', 's64', 'c', 'l', 'v', 'i', 's'),
        fc.jsonValue(),
      )
      .map(([at, key, value]) =>
        JSON.stringify(json.map((each, index) => (index === at ? { ...each, [key]: value } : each))),
      ),
    fc.shuffledSubarray([...json, ...json]).map((list) => JSON.stringify(list)),
  )
  const values = fc.oneof(
    headerText(),
    base64(fc.uint8Array({ maxLength: 200 })),
    base64(damaged(encodeBinary(token))),
    base64(damaged(encodeBinary(...slice))),
    base64(lists.map((text) => Buffer.from(text))),
    fc
      .array(conditions, { minLength: 1, maxLength: 6 })
      .map((list) => encodeBase64Url(encodeBinary(list.reduce(addFirstPartyCaveat, token)))),
    fc.array(base64(fc.uint8Array({ maxLength: 30 })), { maxLength: 30 }).map((list) => list.join(',')),
  )
  return fc.oneof(
    values.map((macaroons) => ({ macaroons })),
    fc
      .tuple(fc.constantFrom('Macaroon ', 'macaroon ', 'Bearer ', ''), values)
      .map(([scheme, value]) => ({ authorization: scheme + value })),
    fc
      .tuple(values, values)
      .map(([root, discharge]) => ({ authorization: `Macaroon root="${root}", discharge=${discharge}` })),
    fc.tuple(values, values).map(([macaroons, value]) => ({ macaroons, authorization: `Macaroon ${value}` })),
  )
}

/** Requests with a hostile credential. */
export function credentialRequests(seeds: Seeds): fc.Arbitrary<RawRequest> {
  return fc
    .tuple(
      fc.constantFrom(
        { method: 'GET', path: '/api/v2/tokens' },
        { method: 'GET', path: '/api/v2/tokens/whoami' },
        { method: 'POST', path: '/api/v2/tokens/exchange' },
      ),
      credentials(seeds),
    )
    .map(([target, headers]) => ({ ...(target as { method: 'GET' | 'POST'; path: string }), headers }))
}

const PATHS = ['/api/v2/tokens', '/api/v2/tokens', '/api/v2/tokens/exchange', '/api/v2/tokens/revoke']
const FIELDS = [
  ...['channels', 'description', 'expires', 'packages', 'permissions', 'store_ids', 'session-id'],
  ...['__proto__', 'x'],
]

/** Requests with a hostile JSON body. */
export const jsonRequests = (seeds: Seeds): fc.Arbitrary<RawRequest> =>
  jsonRequestsTo(PATHS, FIELDS, `Macaroon ${encodeBase64Url(encodeBinary(seeds.token))}`)

export function jsonRequestsTo(
  paths: readonly string[],
  fields: readonly string[],
  authorization: string,
): fc.Arbitrary<RawRequest> {
  const field = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 12 }),
    fc.array(
      fc.dictionary(
        fc.constantFrom('name', 'snap_id', 'series', 'constructor'),
        fc.jsonValue({ maxDepth: 2 }),
      ),
    ),
    fc.array(fc.constantFrom('package_access', 'package_push', 'edge', '*', '2.[0-9]/*')),
    fc.string({ unit: 'binary' }),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  )
  const bodies = fc.oneof(
    fc.json({ maxDepth: 6 }),
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.uint8Array({ maxLength: 200 }),
    fc.dictionary(fc.constantFrom(...fields), field).map((value) => JSON.stringify(value)),
    fc
      .tuple(fc.constantFrom('[', '{"a":', '"'), fc.nat({ max: 3000 }))
      .map(([open, times]) => open.repeat(times)),
  )
  return fc
    .tuple(
      fc.constantFrom(...paths),
      bodies,
      fc.constantFrom(
        'application/json',
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
      ),
    )
    .map(([path, body, type]) => ({
      method: 'POST',
      path,
      headers: { authorization, 'content-type': type },
      body,
    }))
}

/** Form posts to the identity service, and its addresses. */
export function identityRequests({ caveatId, did }: Seeds): fc.Arbitrary<RawRequest> {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.constantFrom('', 'agent', 'login', 'macaroon', 'alice', did),
  )
  const bytes = fc.oneof(
    base64(damaged(caveatId)),
    base64(fc.constant(caveatId)),
    base64(fc.uint8Array({ maxLength: 200 })),
    text,
  )
  const sealed = fc.oneof(fc.constant(did), base64(damaged(Buffer.from(did, 'base64url'))), text)
  const names = [
    ...['id', 'id64', 'caveat64', 'caveat', 'token', 'token64', 'token-kind', 'did', 'username', 'password'],
    ...['csrf', 'public-key', 'decision'],
  ]
  const form = fc
    .array(fc.tuple(fc.constantFrom(...names), fc.oneof(bytes, sealed, text)), { maxLength: 8 })
    .map((pairs) =>
      new URLSearchParams(
        pairs.map(([name, value]): [string, string] => [name, value.toWellFormed()]),
      ).toString(),
    )
  const posts = fc
    .tuple(
      fc.constantFrom(
        '/identity/discharge',
        '/identity//discharge',
        '/identity/login',
        '/identity/confirm',
        '/identity/logout',
      ),
      fc.oneof(form, form, fc.string({ unit: 'binary', maxLength: 200 })),
      headerText(60),
    )
    .map(
      ([path, body, cookie]): RawRequest => ({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
        body,
      }),
    )
  const discharges = fc
    .tuple(bytes, fc.option(bytes), fc.option(fc.tuple(text, bytes)))
    .map(([id, caveat, token]): RawRequest => {
      const parameters = new URLSearchParams({ id64: id.toWellFormed() })
      if (caveat !== null) parameters.set('caveat64', caveat.toWellFormed())
      if (token) {
        parameters.set('token-kind', token[0].toWellFormed())
        parameters.set('token64', token[1].toWellFormed())
      }
      return { method: 'POST', path: `/identity/discharge?${parameters}`, headers: {} }
    })
  const visits = fc
    .tuple(fc.constantFrom('login', 'login/agent', 'discharge/info', 'publickey', 'nothing'), form)
    .map(([page, query]): RawRequest => ({ method: 'GET', path: `/identity/${page}?${query}`, headers: {} }))
  return fc.oneof(posts, discharges, visits)
}
