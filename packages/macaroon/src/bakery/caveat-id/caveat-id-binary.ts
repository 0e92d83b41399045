import { readVarint } from '../../formats/varint.ts'
import { utf8 } from '../../text.ts'
import { openBox } from '../box.ts'
import { BakeryError } from '../errors.ts'
import { KEY_BYTES, type KeyPair } from '../key-pair.ts'
import { parseNamespace, STANDARD_NAMESPACE } from '../namespace.ts'
import { type DecodedCaveatId, NONCE_BYTES } from './caveat-id.ts'

// Layout: version (1) | start of the third party's key (4) | first party's key (32) | nonce (24) | box (tag 16,
// content)
const PREFIX_BYTES = 4
const KEY_START = 1 + PREFIX_BYTES
const NONCE_START = KEY_START + KEY_BYTES
const BOX_START = NONCE_START + NONCE_BYTES
/** The length of a caveat with an empty box; in version 3, the box contains at least one byte. */
const SHORTEST = { 2: BOX_START + 16, 3: BOX_START + 17 } as const

/** Opens a version 2 or 3 caveat (the version is its first byte). */
export function openBinary(
  version: 2 | 3,
  caveat: Uint8Array,
  keyPairs: readonly KeyPair[],
): DecodedCaveatId {
  if (caveat.length < SHORTEST[version]) {
    throw version === 3
      ? new BakeryError(
          'payload-missing',
          'The caveat id is a short one: also send its payload as "caveat64"',
        )
      : new BakeryError('malformed', 'The caveat id is too short for version 2')
  }
  const prefix = caveat.subarray(1, KEY_START)
  const firstPartyPublicKey = Buffer.from(caveat.subarray(KEY_START, NONCE_START))
  const nonce = caveat.subarray(NONCE_START, BOX_START)
  const box = caveat.subarray(BOX_START)
  let tried = false
  for (const keyPair of keyPairs) {
    if (Buffer.compare(keyPair.publicKey.subarray(0, PREFIX_BYTES), prefix) !== 0) continue
    tried = true
    const secret = openBox(keyPair, firstPartyPublicKey, nonce, box)
    if (secret !== undefined) return { version, ...readSecret(version, secret), firstPartyPublicKey, keyPair }
  }
  throw tried
    ? new BakeryError('undecryptable', 'The caveat is sealed to our key but does not open')
    : new BakeryError('public-key-mismatch', 'The caveat is not sealed to our public key')
}

type Secret = Pick<DecodedCaveatId, 'rootKey' | 'namespace' | 'condition'>

/** Reads version (1) | length, root key | in version 3: length, namespace | condition. */
function readSecret(version: 2 | 3, secret: Uint8Array): Secret {
  if (secret[0] !== version) throw malformed('its version differs from the outer one')
  const [rootKey, afterKey] = readPart(secret, 1)
  let namespace = STANDARD_NAMESPACE
  let position = afterKey
  if (version === 3) {
    const [text, end] = readPart(secret, position)
    namespace = parseNamespace(textOf(text))
    position = end
  }
  return { rootKey, namespace, condition: textOf(secret.subarray(position)) }
}

function readPart(secret: Uint8Array, start: number): [part: Uint8Array, end: number] {
  const [length, begin] = readVarint(secret, start) ?? [Number.POSITIVE_INFINITY, start]
  const end = begin + length
  if (end > secret.length) throw malformed('a length in it is wrong')
  return [Buffer.from(secret.subarray(begin, end)), end]
}

function textOf(bytes: Uint8Array): string {
  const text = utf8(bytes)
  if (text === undefined) throw malformed('its condition or namespace is not UTF-8')
  return text
}

function malformed(why: string): BakeryError {
  return new BakeryError('malformed', `The sealed content of the caveat cannot be read: ${why}`)
}
