import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addFirstPartyCaveat,
  encodeBase64,
  encodeBase64Url,
  encodeBinary,
  encodeJson,
  type Macaroon,
  mint,
} from '@ratafia/macaroon'
import { presentedMacaroons } from './presented.ts'

const rootKey = Buffer.alloc(24, 1)
// Ids whose base64 has the characters that the two alphabets differ in, and padding.
const make = (id: string, version: 1 | 2 = 2): Macaroon =>
  addFirstPartyCaveat(mint({ rootKey, id: Buffer.from(id, 'latin1'), location: 'here', version }), 'x y')
const root = make('root\xff\xfe\xfb\xef')
const discharge = make('discharge\xff\xbf')
const old = make('an-old-one', 1)
const SLICE = [root, discharge]

const binary = (...macaroons: Macaroon[]) => Buffer.from(encodeBinary(...macaroons))
const json = (...macaroons: Macaroon[]) => Buffer.from(JSON.stringify(macaroons.map(encodeJson)))
const ids = (...slices: readonly Macaroon[][]) =>
  slices.map((slice) => slice.map(({ id }) => Buffer.from(id).toString('latin1')))

type Headers = Parameters<typeof presentedMacaroons>[0]

const presented = (headers: Headers) => ids(...presentedMacaroons(headers).map((slice) => [...slice]))

/** The four variants of base64. */
const VARIANTS: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  'standard, padded': (bytes) => Buffer.from(bytes).toString('base64'),
  'standard, not padded': (bytes) => Buffer.from(bytes).toString('base64').replace(/=+$/, ''),
  'URL-safe, padded': (bytes) =>
    Buffer.from(bytes).toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
  'URL-safe, not padded': encodeBase64Url,
}

for (const [variant, encode] of Object.entries(VARIANTS)) {
  for (const scheme of ['Macaroon', 'macaroon', 'MACAROON', 'mAcArOoN']) {
    test(`reads Authorization: ${scheme} and a binary slice in base64 (${variant})`, () => {
      assert.deepEqual(presented({ authorization: `${scheme} ${encode(binary(...SLICE))}` }), ids(SLICE))
    })
  }
  test(`reads Authorization with a JSON list in base64 (${variant})`, () => {
    assert.deepEqual(presented({ authorization: `Macaroon ${encode(json(...SLICE))}` }), ids(SLICE))
  })
  test(`reads Authorization with root= and discharge= (${variant})`, () => {
    const [r, d] = [encode(binary(root)), encode(binary(discharge))]
    for (const value of [
      `root=${r}, discharge=${d}`,
      `root="${r}", discharge="${d}"`,
      `root=${r},discharge="${d}"`,
      `discharge=${d}, root=${r}`,
    ]) {
      assert.deepEqual(presented({ authorization: `Macaroon ${value}` }), ids(SLICE), value)
    }
  })
  test(`reads Macaroons with a JSON list or a binary slice in base64 (${variant})`, () => {
    assert.deepEqual(presented({ macaroons: encode(json(...SLICE)) }), ids(SLICE))
    assert.deepEqual(presented({ macaroons: encode(binary(...SLICE)) }), ids(SLICE))
  })
}

test('reads Authorization with JSON text of a list and of a single macaroon', () => {
  assert.deepEqual(presented({ authorization: `Macaroon ${json(...SLICE)}` }), ids(SLICE))
  assert.deepEqual(presented({ authorization: `Macaroon ${JSON.stringify(encodeJson(root))}` }), ids([root]))
})

test('reads version 1 macaroons, in JSON and in binary', () => {
  assert.deepEqual(presented({ macaroons: encodeBase64(json(old)) }), ids([old]))
  assert.deepEqual(presented({ authorization: `Macaroon ${encodeBase64(binary(old))}` }), ids([old]))
  assert.deepEqual(presented({ authorization: `Macaroon root=${encodeBase64(binary(old))}` }), ids([old]))
})

test('reads several slices from repeated headers, joined by commas, and from both headers', () => {
  const [a, b] = [encodeBase64Url(json(root)), encodeBase64Url(json(old))]
  for (const macaroons of [[a, b], `${a},${b}`, `${a}, ${b}`, `, ${a} ,, ${b},`, [`${a}, `, b]]) {
    assert.deepEqual(presented({ macaroons }), ids([root], [old]))
  }
  assert.deepEqual(presented({ authorization: `Macaroon ${a}`, macaroons: b }), ids([root], [old]))
})

test('ignores white space around the value', () => {
  const value = encodeBase64Url(binary(root))
  for (const authorization of [`  Macaroon   ${value}  `, `Macaroon\t${value}`]) {
    assert.deepEqual(presented({ authorization }), ids([root]))
  }
})

test('skips an unreadable value if another is readable', () => {
  const good = encodeBase64Url(json(root))
  for (const headers of [
    { macaroons: `e30, ${good}` },
    { macaroons: ['####', good] },
    { authorization: 'Macaroon ####', macaroons: good },
    { authorization: 'Basic dXNlcjpwYXNz', macaroons: good },
    { authorization: '', macaroons: good },
    { authorization: `Macaroon ${good}`, macaroons: 'e30' },
  ]) {
    assert.deepEqual(presented(headers), ids([root]), JSON.stringify(headers))
  }
})

const NOTHING = /^The request carries no macaroon\. /
const MALFORMED = /^The macaroon is malformed: /
const REFUSED: readonly [headers: Headers, code: string, message: RegExp][] = [
  [{}, 'macaroon-authorization-required', NOTHING],
  [{ authorization: '', macaroons: '' }, 'macaroon-authorization-required', NOTHING],
  [{ authorization: 'Macaroon' }, 'macaroon-authorization-required', NOTHING],
  [{ macaroons: ' , ,, ' }, 'macaroon-authorization-required', NOTHING],
  [{ authorization: 'Basic abc' }, 'macaroon-authorization-required', /has a different scheme/],
  [{ authorization: 'Bearer abc' }, 'macaroon-authorization-required', MALFORMED],
  [{ authorization: 'Bearer abc', macaroons: 'e30' }, 'macaroon-authorization-required', MALFORMED],
  [{ authorization: 'Macaroonabc' }, 'macaroon-authorization-required', /has a different scheme/],
  [{ authorization: 'Macaroon !' }, 'macaroon-authorization-required', MALFORMED],
  [{ authorization: 'Macaroon []' }, 'macaroon-authorization-required', MALFORMED],
  [{ authorization: 'Macaroon {' }, 'macaroon-authorization-required', MALFORMED],
  [{ authorization: 'Macaroon root=' }, 'macaroon-authorization-required', MALFORMED],
  [{ authorization: 'Macaroon discharge=' }, 'macaroon-authorization-required', MALFORMED],
  [{ authorization: 'Macaroon root=a b' }, 'macaroon-authorization-required', MALFORMED],
  [
    { authorization: `Macaroon root=${encodeBase64(binary(root))}, other=abcd` },
    'macaroon-authorization-required',
    MALFORMED,
  ],
  [
    { authorization: `Macaroon root=${encodeBase64(binary(root))}, root=${encodeBase64(binary(root))}` },
    'macaroon-authorization-required',
    MALFORMED,
  ],
  [{ authorization: `Macaroon ${encodeBase64Url(Buffer.alloc(50_000, 2))}` }, 'limit-exceeded', /too large/],
]

for (const [headers, code, message] of REFUSED) {
  test(`refuses with ${code}: ${JSON.stringify(headers).slice(0, 60)}`, () => {
    assert.throws(() => presentedMacaroons(headers), { name: 'RequestError', code, message })
  })
}

test('no message repeats the presented credential', () => {
  const secret = 'c2VjcmV0LXZhbHVl'
  for (const authorization of [`Macaroon ${secret}`, `Macaroon {"${secret}"`, `Macaroon root=${secret}`]) {
    assert.throws(
      () => presentedMacaroons({ authorization }),
      (error: Error) => !error.message.includes('c2Vj') && !error.message.includes('secret-value'),
    )
  }
})

test('answers the worst values of 64 KiB at once', () => {
  const small = encodeBase64Url(json(root))
  const fill = (text: string) => text.repeat(Math.floor(65_000 / text.length))
  const worst: Headers[] = [
    ' ',
    ',',
    ', ',
    'A,',
    '[',
    '{',
    '=',
    '"',
    'root=',
    'root=,',
    'root="',
    'root=A ',
    `${small},`,
    `root=${small},`,
    `discharge=${encodeBase64Url(binary(root))},`,
    '{"i":',
  ].flatMap((piece) => [
    { macaroons: fill(piece) },
    { authorization: `Macaroon ${fill(piece)}` },
    { authorization: fill(piece) },
    { authorization: `Macaroon root=${fill(piece)}x` },
    { authorization: `Macaroon ${fill(piece)}`, macaroons: fill(piece) },
  ])
  let long = root
  while (encodeBinary(long).length < 45_000) long = addFirstPartyCaveat(long, `x ${'y'.repeat(400)}`)
  const longest = encodeBase64Url(encodeBinary(long))
  const cost = (headers: Headers, times = 1): number => {
    const start = process.cpuUsage()
    for (let at = 0; at < times; at++) {
      try {
        presentedMacaroons(headers)
      } catch (error) {
        assert.equal((error as Error).name, 'RequestError', String(error))
      }
    }
    const { user, system } = process.cpuUsage(start)
    return user + system
  }
  // The ratio to the cost of the longest accepted token with as many bytes, within one run. Quadratic work is 10,000.
  // The system may count a short run as no time at all, so the usual cost is that of a hundred runs.
  const usual = cost({ authorization: `Macaroon ${longest}` }, 100)
  for (const headers of worst) {
    const took = cost(headers)
    assert.ok(
      took < 10 * usual,
      `${took} µs of CPU, ${usual} for 100 usual ones: ${JSON.stringify(headers).slice(0, 80)}`,
    )
  }
})
