import type { Macaroon } from '../macaroon.ts'
import { type MacaroonJson1, writeJson1 } from './json-v1.ts'
import { type MacaroonJson2, writeJson2 } from './json-v2.ts'

/** A macaroon as an object for `JSON.stringify`. */
export type MacaroonJson = MacaroonJson1 | MacaroonJson2

/**
 * Writes a macaroon in the JSON format of its version, which `decodeJson` reads.
 * Throws {@link MacaroonError} `malformed` for a version 1 macaroon with an id that is not UTF-8.
 */
export function encodeJson(macaroon: Macaroon): MacaroonJson {
  return macaroon.version === 1 ? writeJson1(macaroon) : writeJson2(macaroon)
}
