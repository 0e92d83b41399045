import { utf8 } from '../../text.ts'
import { BakeryError } from '../errors.ts'
import type { KeyPair } from '../key-pair.ts'
import { type DecodedCaveatId, MAX_CONDITION_BYTES, MAX_PAYLOAD_BYTES } from './caveat-id.ts'
import { openBinary } from './caveat-id-binary.ts'
import { openVersion1 } from './caveat-id-v1.ts'

const VERSION_1_START = 0x65 // "e", with which base64 of a JSON object always begins

/**
 * Opens a caveat sealed to one of `keyPairs`. Pass the payload if the client sent one (`caveat64`), and the id
 * otherwise. Throws {@link BakeryError} `payload-missing` for a short id, `public-key-mismatch` if it is not sealed to
 * any of the key pairs, `undecryptable`, `malformed`, `unsupported-version` or `limit-exceeded`.
 */
export function decodeCaveatId(idOrPayload: Uint8Array, keyPairs: readonly KeyPair[]): DecodedCaveatId {
  const size = idOrPayload.length
  if (size > MAX_PAYLOAD_BYTES) {
    throw new BakeryError(
      'limit-exceeded',
      `The caveat has ${size} bytes, and the limit is ${MAX_PAYLOAD_BYTES}`,
    )
  }
  const decoded = open(idOrPayload, keyPairs)
  if (Buffer.byteLength(decoded.condition) > MAX_CONDITION_BYTES) {
    throw new BakeryError(
      'limit-exceeded',
      `The condition of the caveat is over ${MAX_CONDITION_BYTES} bytes`,
    )
  }
  return decoded
}

function open(caveat: Uint8Array, keyPairs: readonly KeyPair[]): DecodedCaveatId {
  const first = caveat[0]
  if (first === 2 || first === 3) return openBinary(first, caveat, keyPairs)
  if (first === VERSION_1_START) return openVersion1(utf8(caveat) ?? '', keyPairs)
  if (first === undefined) throw new BakeryError('malformed', 'The caveat id is empty')
  throw new BakeryError('unsupported-version', `No known caveat id begins with byte ${first}`)
}
