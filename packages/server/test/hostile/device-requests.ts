/** Requests of the worst devices: damaged assertions, invalid JSON, odd headers and paths. */
import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { vector, vectorPath } from '../support/brands.ts'
import { AUTH } from '../support/devices.ts'
import type { RawRequest } from './pipeline.ts'
import { base64, damaged, headerText } from './requests.ts'

/** All vectors, valid and invalid. */
export const VECTORS: readonly Buffer[] = [
  ...['valid', 'canonical', 'decode-error', 'decoder-differs', 'extra-head', 'noncanonical-accepted'],
  ...['rule-error', 'signature-error'],
].flatMap((directory) =>
  readdirSync(vectorPath(directory)).map((name) => Buffer.from(vector(`${directory}/${name}`).bytes)),
)

/** Values that a header should not have. Some break databases, dates, numbers or patterns. */
const oddTexts = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    'a\nb',
    '\n',
    'a\u2028b',
    '\u202ea',
    '\ufeffa',
    '\ufffd',
    '🦀',
    'ｗide',
    '../..',
  ],
  ...['a/b', '%00', '%', '"', '__proto__', 'constructor', '-1', '+1', '00', '1e3', '2147483647'],
  ...['2147483648', '9007199254740993', '99999999999999999999', '0001-01-01T00:00:00Z'],
  ...['9999-12-31T23:59:59Z', '2016-13-45T99:99:99Z', '16', 'generic', 'canonical', 'test-root'],
  ...['acme-brand', 'acme-classic', 'a-'.repeat(60), '-'.repeat(28), 'x'.repeat(129), 'x'.repeat(4000)],
]

export const odd: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddTexts) },
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 60 }),
)

const brokenBytes = [
  Buffer.of(0),
  Buffer.of(0xff),
  Buffer.of(0xc3),
  // A lone surrogate in UTF-8
  Buffer.of(0xed, 0xa0, 0x80),
  Buffer.from('\n\n'),
  Buffer.from('\n'),
  Buffer.from('\r\n'),
  Buffer.from('  - '),
  Buffer.from('\n    text'),
  Buffer.from('body-length: 5\n'),
  Buffer.from('format: 9\n'),
]

/** Makes one change to an encoded assertion. */
export function mutated(text: Buffer): fc.Arbitrary<Buffer> {
  const at = fc.nat({ max: Math.max(text.length - 1, 0) })
  const line = fc.nat({ max: 40 })
  const withLines = (change: (lines: string[], index: number) => void) => (index: number) => {
    const lines = text.toString('latin1').split('\n')
    change(lines, index % lines.length)
    return Buffer.from(lines.join('\n'), 'latin1')
  }
  return fc.oneof(
    damaged(text).map((bytes) => Buffer.from(bytes)),
    at.map((length) => text.subarray(0, length)),
    fc
      .tuple(at, fc.constantFrom(...brokenBytes))
      .map(([index, bytes]) => Buffer.concat([text.subarray(0, index), bytes, text.subarray(index)])),
    line.map(withLines((lines, index) => lines.splice(index, 0, lines[index] ?? ''))),
    line.map(withLines((lines, index) => lines.splice(index, 1))),
    fc.tuple(line, odd).map(([index, value]) =>
      withLines((lines, i) => {
        lines[i] = (lines[i] ?? '').replace(/: .*|$/, () => `: ${Buffer.from(value).toString('latin1')}`)
      })(index),
    ),
    fc
      .tuple(line, fc.constantFrom(1, 30, 300), fc.boolean())
      .map(([index, depth, isList]) =>
        withLines((lines, i) => lines.splice(i, 0, nested(depth, isList)))(index),
      ),
    fc
      .constantFrom('1', '2000000', '2097153', '-1', '007', '99999999999999999999', 'x')
      .map((length) =>
        Buffer.from(text.toString('latin1').replace(/\n/, `\nbody-length: ${length}\n`), 'latin1'),
      ),
    fc
      .constantFrom('account', 'model', 'serial', 'serial-request', 'device-session-request', 'nothing')
      .map((type) => Buffer.from(text.toString('latin1').replace(/type: .*/, `type: ${type}`), 'latin1')),
    fc
      .string({ unit: fc.constantFrom('A', '=', '-', '/', ' ', '\n', '\xff'), maxLength: 900 })
      .map((signature) => replaceSignature(text, signature)),
  )
}

/** Returns `depth` levels of lists or maps under one header. */
function nested(depth: number, isList: boolean): string {
  const levels = Array.from({ length: depth }, (_, i) => `${'  '.repeat(i + 1)}${isList ? '-' : 'a:'}`)
  return `${['x-deep:', ...levels].join('\n')} x`
}

function replaceSignature(text: Buffer, signature: string): Buffer {
  const end = text.lastIndexOf('\n\n')
  return Buffer.concat([text.subarray(0, end + 2), Buffer.from(signature, 'latin1')])
}

const anyVector = fc.constantFrom(...VECTORS)
const anyAssertion = fc.oneof(anyVector, anyVector.chain(mutated))

/** Bodies that are streams, or nearly. */
const streams: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 6, arbitrary: fc.array(anyAssertion, { maxLength: 4 }).map((all) => joined(all, '\n')) },
  fc.array(anyVector, { maxLength: 4 }).map((all) => joined(all, '')),
  fc
    .tuple(anyVector, fc.constantFrom(3, 130, 400))
    .map(([one, times]) => joined(Array(times).fill(one), '\n')),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(10, 131_072, 140_000, 300_000).map((length) => Buffer.alloc(length, 'a: b\n')),
  fc.constantFrom(1000, 200_000).map((length) => Buffer.alloc(length, '\n')),
)

const joined = (parts: readonly Buffer[], between: string): Buffer =>
  Buffer.concat(parts.flatMap((part, i) => (i === 0 ? [part] : [Buffer.from(between), part])))

/** Text for JSON: as UTF-8, as Latin-1, with lone surrogates or with NUL. */
const asText = (bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<string> =>
  fc
    .tuple(
      bytes,
      fc.constantFrom('utf8', 'latin1'),
      fc.option(fc.constantFrom('\ud800', '\udc00', '\0', '\ud83d')),
    )
    .map(([value, encoding, extra]) => {
      const text = value.toString(encoding as BufferEncoding)
      return extra === null ? text : text.slice(0, 40) + extra + text.slice(40)
    })

const FIELDS = ['device-session-request', 'serial-assertion', 'model-assertion'] as const

/** Larger ones close the connection. */
const SESSION_LIMIT = 1024 * 1024

const sessionBodies: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(...FIELDS.map(() => asText(anyAssertion))).map(withFields) },
  {
    weight: 2,
    arbitrary: fc
      .dictionary(
        fc.constantFrom(...FIELDS, '__proto__', 'x'),
        fc.oneof(asText(anyAssertion), fc.jsonValue({ maxDepth: 3 })),
      )
      .map((value) => JSON.stringify(value)),
  },
  fc.json({ maxDepth: 6 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .tuple(fc.constantFrom('[', '{"a":', '"\\ud800'), fc.nat({ max: 3000 }))
    .map(([text, n]) => text.repeat(n)),
  asText(anyVector).map((text) => withFields([text.repeat(40), text, text])),
)

function withFields(texts: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(FIELDS.map((name, i) => [name, texts[i] ?? ''])))
}

/** The header of a device session: damaged, wrongly built, or something else. */
export const sessionHeader = (macaroon: Uint8Array): fc.Arbitrary<Record<string, string>> => {
  const values = fc.oneof(
    base64(damaged(macaroon)),
    base64(fc.constant(macaroon)),
    base64(fc.uint8Array({ maxLength: 300 })),
    headerText(),
    fc.array(headerText(20), { maxLength: 4 }).map((parts) => parts.join(',')),
  )
  const written = fc.oneof(
    values.map((value) => `Macaroon root="${value}"`),
    fc
      .tuple(fc.constantFrom('Macaroon root=', "macaroon root='", 'Macaroon ', 'Bearer ', ''), values)
      .map(([scheme, value]) => scheme + value),
    fc.tuple(values, values).map(([root, discharge]) => `Macaroon root="${root}", discharge="${discharge}"`),
    fc.constantFrom(
      'Macaroon',
      'Macaroon root=',
      'Macaroon root=""',
      `Macaroon root="${'A'.repeat(20_000)}"`,
    ),
  )
  return fc
    .tuple(
      fc.constantFrom('x-device-authorization', 'snap-device-authorization'),
      written,
      fc.option(written),
    )
    .map(([name, value, more]) => ({
      [name]: value,
      ...(more === null ? {} : { 'x-device-authorization': more }),
    }))
}

/** The headers of a registration. Nothing is allow-listed, so that no request is forwarded. */
export const registrationHeaders: fc.Arbitrary<Record<string, string>> = fc
  .record(
    {
      'api-key': headerText(),
      'snap-device-capabilities': fc.oneof(
        headerText(),
        fc.constantFrom('serial-stream', 'serial-stream,x', ',,,', 'serial-stream '.repeat(500).trim()),
      ),
      'content-type': fc.oneof(
        {
          weight: 8,
          arbitrary: fc.constantFrom(
            'application/x.ubuntu.assertion',
            'application/json',
            'text/plain; charset=x',
          ),
        },
        headerText(60),
        fc.constant(';;'),
      ),
      'user-agent': headerText(400),
    },
    { requiredKeys: [] },
  )
  .map((headers) => headers as Record<string, string>)

const serviceUrls: fc.Arbitrary<Record<string, string>> = fc
  .oneof(
    headerText(),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.constantFrom(
      ...['http://hostile/', 'http://[::1/', 'http://%/', 'http://\xe4/', 'http://a:b@c/'],
      ...[`http://${'a.'.repeat(500)}/`, `http://x/${'../'.repeat(500)}`],
    ),
  )
  .map((url) => ({ 'x-snap-device-service-url': url }))

const PATHS = [
  `${AUTH}/devices`,
  '/v1/serial',
  `${AUTH}/request-id`,
  '/v1/request-id',
  `${AUTH}/nonces`,
] as const

const assertionPaths: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(fc.constantFrom('account', 'account-key', 'model', 'serial', 'store', '__proto__'), odd),
    fc.array(fc.oneof(odd, fc.constantFrom('16', 'acme-brand', 'acme-classic')), { maxLength: 5 }),
    fc.constantFrom(
      ...['', '?max-format=1', '?max-format=x', '?max-format=1&max-format=2', '?%00', '?max-format[]=1'],
    ),
    fc.constantFrom('encoded', 'twice', 'partly', 'raw'),
  )
  .map(
    ([type, key, query, how]) =>
      `/v2/assertions/${[type, ...key].map(WRITTEN[how as keyof typeof WRITTEN]).join('/')}${query}`,
  )

const WRITTEN = {
  encoded: (text: string) => encodeURIComponent(text.toWellFormed()),
  twice: (text: string) => encodeURIComponent(encodeURIComponent(text.toWellFormed())),
  partly: (text: string) =>
    encodeURIComponent(text.toWellFormed())
      .replace(/%2F|%3A/gi, '/')
      .slice(0, 300),
  // The characters that a request line can have
  raw: (text: string) => text.replace(/[^!-~]|#/g, '%'),
}

/** Requests without any valid part. */
export function shallowDeviceRequests(macaroon: Uint8Array): fc.Arbitrary<RawRequest> {
  const headers = fc
    .tuple(registrationHeaders, fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, serviceUrls))
    .map(([some, more]) => ({ ...some, ...more }))
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom(...PATHS), headers, streams)
        // Endpoints without a body accept 64 KiB of one.
        .map(([path, given, body]): RawRequest => {
          const fits = /devices|serial/.test(path) ? body : body.subarray(0, 65_536)
          return { method: 'POST', path, headers: given, body: fits }
        }),
    },
    {
      weight: 5,
      arbitrary: fc
        .tuple(
          sessionBodies.filter((body) => Buffer.byteLength(body) <= SESSION_LIMIT),
          fc.option(sessionHeader(macaroon)),
          headers,
        )
        .map(
          ([body, session, given]): RawRequest => ({
            method: 'POST',
            path: `${AUTH}/sessions`,
            headers: { ...given, ...session },
            body,
          }),
        ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom('GET', 'POST'), sessionHeader(macaroon)).map(
        ([method, given]): RawRequest => ({
          method: method as 'GET' | 'POST',
          path: '/device-session',
          headers: given,
        }),
      ),
    },
    {
      weight: 3,
      arbitrary: assertionPaths.map((path): RawRequest => ({ method: 'GET', path, headers: {} })),
    },
  )
}
