import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BakeryError,
  decodeBakeryMacaroon,
  decodeCaveatId,
  decodeKey,
  discharge,
  slicesFromCookieHeader,
  slicesFromMacaroonsHeader,
} from '../src/bakery/index.ts'
import { parseTimestamp, splitCondition } from '../src/conditions/index.ts'
import { decodeBase64, decodeBinary } from '../src/index.ts'
import { toHex, vectorKeyPairs, vectors } from './vectors.ts'

interface Exchange {
  readonly Client: string
  readonly Method: string
  readonly Path: string
  readonly Query?: string
  readonly ReqHdr: Readonly<Record<string, readonly string[]>>
  readonly ReqBody?: string
  readonly Status: number
  readonly RespBody: string
}

const { exchanges } = vectors<{ exchanges: readonly Exchange[] }>('09-http-transcripts')
const thirdParty = vectorKeyPairs()['third_party']
assert.ok(thirdParty)

const bytes = (parameters: URLSearchParams, name: string): Uint8Array | undefined => {
  const base64 = parameters.get(`${name}64`)
  if (base64 !== null) return decodeBase64(base64)
  const text = parameters.get(name)
  return text === null ? undefined : Buffer.from(text)
}

interface Body {
  readonly Macaroon?: unknown
  readonly macaroon?: unknown
  readonly Info?: { readonly Macaroon?: unknown }
  readonly PublicKey?: string
}

for (const [i, exchange] of exchanges.entries()) {
  const title = `exchange 09/${i} ${exchange.Client} ${exchange.Method} ${exchange.Path} ${exchange.Status}`

  if (exchange.Path === '/discharge') {
    test(`${title}: decodes the caveat in the request`, async () => {
      const parameters = new URLSearchParams(`${exchange.Query ?? ''}&${exchange.ReqBody ?? ''}`)
      const id = bytes(parameters, 'id') ?? Buffer.of()
      const caveat = bytes(parameters, 'caveat')
      if (exchange.Status === 500) {
        // bakeryjs decodes binary ids as UTF-8 and loses bytes, which must give a clear refusal and not a crash.
        assert.throws(
          () => decodeCaveatId(caveat ?? id, [thirdParty]),
          (error) => error instanceof BakeryError && error.code === 'public-key-mismatch',
        )
        return
      }
      assert.match(decodeCaveatId(caveat ?? id, [thirdParty]).condition, /is-authenticated-user$/)
      const token = bytes(parameters, 'token')
      const kind = parameters.get('token-kind')
      if (kind === 'agent') assert.equal(decodeBinary(token ?? Buffer.of()).length, 2)
      if (kind === 'demo') assert.equal(toHex(token ?? Buffer.of()), '746f6bfffefbefbe')
      if (exchange.Status !== 200) return

      const recorded = decodeBakeryMacaroon((JSON.parse(exchange.RespBody) as Body).Macaroon)
      const conditions = recorded.macaroon.caveats.map((c) => Buffer.from(c.id).toString())
      for (const condition of conditions) {
        const { name, argument } = splitCondition(condition)
        if (name === 'time-before') assert.ok(parseTimestamp(argument) > new Date('2026-11-20T21:27:50Z'))
      }
      const ours = await discharge({ id, caveat, keyPairs: [thirdParty], check: () => conditions })
      assert.deepEqual(ours, { ...recorded, namespace: ours.namespace })
    })
  }

  const macaroons = exchange.ReqHdr['Macaroons'] ?? []
  const cookies = (exchange.ReqHdr['Cookie'] ?? []).filter((cookie) => cookie !== '')
  if (macaroons.length + cookies.length > 0) {
    test(`${title}: reads the macaroons of the request`, () => {
      const header = slicesFromMacaroonsHeader(macaroons)
      const cookie = slicesFromCookieHeader(cookies.join('; '))
      assert.deepEqual([...header.errors, ...cookie.errors], [])
      assert.equal(header.slices.length + cookie.slices.length, 1)
      assert.equal((header.slices[0] ?? cookie.slices[0])?.length, 2)
    })
  }

  if (exchange.RespBody?.startsWith('{')) {
    test(`${title}: reads the macaroon or key in the response`, () => {
      const body = JSON.parse(exchange.RespBody) as Body
      const macaroon = body.Macaroon ?? body.macaroon ?? body.Info?.Macaroon
      if (macaroon !== undefined && macaroon !== null) {
        assert.ok(decodeBakeryMacaroon(macaroon).macaroon.caveats.length > 0)
      }
      if (body.PublicKey !== undefined)
        assert.equal(toHex(decodeKey(body.PublicKey)), toHex(thirdParty.publicKey))
    })
  }
}
