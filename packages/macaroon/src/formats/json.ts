import { decodeBase64 } from '../base64.ts'
import { MacaroonError } from '../errors.ts'
import { checkLimit, DEFAULT_LIMITS, type Limits } from '../limits.ts'
import type { Macaroon } from '../macaroon.ts'
import { checkSliceLimits } from '../slice-limits.ts'
import { decodeBinary } from './binary.ts'
import { type MacaroonJson1, readJson1, writeJson1 } from './json-v1.ts'
import { type MacaroonJson2, readJson2, writeJson2 } from './json-v2.ts'

const VERSION_1_KEYS = ['identifier', 'signature', 'caveats', 'location']
const VERSION_2_KEYS = ['i', 'i64', 's', 's64', 'c', 'l']

/**
 * Reads a macaroon from parsed JSON: the version 2 object (`i`, `s64`, `c`, `l`), the version 1 object (`identifier`,
 * `signature`, `caveats`), or a string with a binary macaroon in base64. Ignores unknown keys. Throws
 * {@link MacaroonError} `malformed`, `unsupported-version` or `limit-exceeded`.
 */
export function decodeJson(value: unknown, limits: Limits = DEFAULT_LIMITS): Macaroon {
  if (typeof value === 'string') return readText(value, limits)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MacaroonError('malformed', 'Not a macaroon in JSON: neither an object nor a string')
  }
  const object = value as Record<string, unknown>
  const macaroon = isVersion1(object) ? readJson1(object, limits) : readJson2(object, limits)
  checkSliceLimits([macaroon], limits)
  return macaroon
}

function isVersion1(object: Record<string, unknown>): boolean {
  const one = VERSION_1_KEYS.some((key) => Object.hasOwn(object, key))
  const two = VERSION_2_KEYS.some((key) => Object.hasOwn(object, key))
  if (one === two) {
    const why = one ? 'it has both version 1 and version 2 keys' : 'it does not have any key of a macaroon'
    throw new MacaroonError('malformed', `Not a macaroon in JSON: ${why}`)
  }
  return one
}

function readText(text: string, limits: Limits): Macaroon {
  checkLimit('Macaroons with too many characters', text.length, 2 * limits.sliceBytes)
  const [macaroon, ...more] = decodeBinary(decodeBase64(text), limits)
  if (more.length > 0) throw new MacaroonError('malformed', 'Expected one macaroon, but the text has several')
  return macaroon
}

/** A macaroon as an object for `JSON.stringify`. */
export type MacaroonJson = MacaroonJson1 | MacaroonJson2

/**
 * Writes a macaroon in the JSON format of its version, which `decodeJson` reads.
 * Throws {@link MacaroonError} `malformed` for a version 1 macaroon with an id that is not UTF-8.
 */
export function encodeJson(macaroon: Macaroon): MacaroonJson {
  return macaroon.version === 1 ? writeJson1(macaroon) : writeJson2(macaroon)
}
