import { decodeBase64, encodeBase64Url } from '../base64.ts'
import { MacaroonError } from '../errors.ts'
import { decodeBinary } from '../formats/binary.ts'
import { decodeJson, encodeJson } from '../formats/json.ts'
import { checkLimit, DEFAULT_LIMITS, type Limits } from '../limits.ts'
import type { Macaroon, UnverifiedSlice } from '../macaroon.ts'
import { checkSliceLimits } from '../slice-limits.ts'
import { utf8 } from '../text.ts'

export interface MacaroonsRead {
  readonly slices: readonly UnverifiedSlice[]
  /** Whether a value was not a slice. Bakery servers ignore such values. */
  readonly malformed: boolean
  /** The error for each value that is not a slice. An empty value is neither a slice nor malformed. */
  readonly errors: readonly MacaroonError[]
}

export interface MacaroonsOptions {
  readonly limits?: Limits
  /** Whether to also accept base64 of a binary slice. False by default, as in other bakery servers. */
  readonly binary?: boolean
}

/**
 * Reads the values of `Macaroons` headers: base64 (any of the four variants) of a JSON list with the root first.
 * Several values can be joined by commas, as Node joins repeated headers. Never throws; see {@link MacaroonsRead}.
 */
export function slicesFromMacaroonsHeader(
  values: readonly string[],
  options: MacaroonsOptions = {},
): MacaroonsRead {
  return readAll(
    values.flatMap((value) => value.split(',')),
    options,
  )
}

/** Reads the cookies `macaroon-*` of a `Cookie` header, whose values are like those of a `Macaroons` header. */
export function slicesFromCookieHeader(header: string, options: MacaroonsOptions = {}): MacaroonsRead {
  const cookies = header.split(';').map((cookie) => cookie.trim())
  const values = cookies
    .filter((cookie) => cookie.startsWith('macaroon-') && cookie.includes('='))
    .map((cookie) => cookie.slice(cookie.indexOf('=') + 1).replace(/^"(.*)"$/, '$1'))
  return readAll(values, options)
}

/** Returns the value of a `Macaroons` header for a slice, which is URL-safe base64 of a JSON list. */
export function formatMacaroonsHeader(slice: readonly Macaroon[]): string {
  return encodeBase64Url(Buffer.from(JSON.stringify(slice.map(encodeJson))))
}

function readAll(values: readonly string[], options: MacaroonsOptions): MacaroonsRead {
  const limits = options.limits ?? DEFAULT_LIMITS
  const slices: UnverifiedSlice[] = []
  const errors: MacaroonError[] = []
  for (const value of values.map((v) => v.trim()).filter((v) => v !== '')) {
    try {
      checkLimit('Too many values with macaroons', slices.length + errors.length + 1, limits.macaroons)
      slices.push(readValue(value, limits, options.binary ?? false))
    } catch (error) {
      if (!(error instanceof MacaroonError)) throw error
      errors.push(error)
      if (errors.length > limits.macaroons) break
    }
  }
  return { slices, malformed: errors.length > 0, errors }
}

/** How many times longer a macaroon is at most as JSON in base64 than in binary. */
const JSON_OVERHEAD = 4

function readValue(value: string, limits: Limits, binary: boolean): UnverifiedSlice {
  checkLimit('A value with too many characters', value.length, JSON_OVERHEAD * limits.sliceBytes)
  const bytes = decodeBase64(value)
  if (binary && bytes[0] !== 0x5b) return decodeBinary(bytes, limits)
  const list = parseList(bytes)
  checkLimit('Too many macaroons', list.length, limits.macaroons)
  const [root, ...discharges] = list.map((item) => decodeJson(item, limits))
  if (root === undefined) throw new MacaroonError('malformed', 'The list of macaroons is empty')
  const slice: UnverifiedSlice = [root, ...discharges]
  checkSliceLimits(slice, limits)
  return slice
}

function parseList(bytes: Uint8Array): readonly unknown[] {
  const text = utf8(bytes)
  try {
    const list: unknown = text === undefined ? undefined : JSON.parse(text)
    if (Array.isArray(list)) return list
  } catch {
    // Reported below, because the parser's message quotes the text, and a macaroon is a secret.
  }
  throw new MacaroonError('malformed', 'Not a JSON list of macaroons')
}
