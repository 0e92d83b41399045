/**
 * The identifier of a macaroon. Its root key is derived from it, so nothing is stored for it:
 *
 *   kind 1 | root key id 4 (big endian) | random 10 | check 6 | payload
 *   root key = HMAC-SHA256(secret of that root key, "ratafia macaroon root key" | 0 | identifier)
 *
 * In a version 1 macaroon it is spelt in base64url, because clients treat its identifier as text
 * (contract/publisher-login.md, decision 7). Both spellings have one root key.
 *
 * The first byte is also the format: a kind whose layout changes gets another byte. Older identifiers have 16
 * random bytes and no check (`id-check.ts`).
 */
import { deriveKey } from './derive.ts'
import { checkedBytes, ID_LAYOUT, passesCheck } from './id-check.ts'
import type { RootKey } from './key-store.ts'

export type MacaroonKind =
  | 'token-root'
  | 'token'
  | 'agent-login'
  | 'device-session'
  | 'management-root'
  | 'management-token'

interface KindRow {
  readonly byte: number
  readonly maxPayload: number
}

/** The macaroon package accepts identifiers of up to 3 KiB. */
const MAX_ID_BYTES = 3 * 1024
const HEAD_BYTES = 1 + 4
const CHECKED_BYTES = ID_LAYOUT.randomBytes + ID_LAYOUT.checkBytes
const HEADER_BYTES = HEAD_BYTES + CHECKED_BYTES

/** The kinds of macaroons that the service issues. The kind is in the identifier, so none can pass for another. */
const KINDS: Readonly<Record<MacaroonKind, KindRow>> = {
  'token-root': { byte: 0x11, maxPayload: MAX_ID_BYTES - HEADER_BYTES },
  token: { byte: 0x12, maxPayload: 0 },
  'agent-login': { byte: 0x13, maxPayload: MAX_ID_BYTES - HEADER_BYTES },
  'device-session': { byte: 0x14, maxPayload: 0 },
  'management-root': { byte: 0x15, maxPayload: MAX_ID_BYTES - HEADER_BYTES },
  'management-token': { byte: 0x16, maxPayload: 0 },
}

const KIND_OF_BYTE: ReadonlyMap<number, MacaroonKind> = new Map(
  (Object.keys(KINDS) as MacaroonKind[]).map((kind) => [KINDS[kind].byte, kind]),
)

export interface ParsedId {
  readonly kind: MacaroonKind
  readonly rootKeyId: number
  readonly payload: Uint8Array
}

/** Creates an identifier. Throws `TypeError` for a payload that is too long for the kind. */
export function formatId(
  kind: MacaroonKind,
  { rootKey, firstKey, payload }: { rootKey: RootKey; firstKey: RootKey; payload: Uint8Array },
): Uint8Array {
  const { byte, maxPayload } = KINDS[kind]
  if (payload.length > maxPayload) {
    throw new TypeError(
      `A ${kind} macaroon accepts a payload of at most ${maxPayload} bytes, not ${payload.length}.`,
    )
  }
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(byte, 0)
  head.writeUInt32BE(rootKey.id, 1)
  return Buffer.concat([head, checkedBytes(firstKey, ID_LAYOUT, [head, payload]), payload])
}

/** Whether this installation created the identifier, as far as its check can show. */
export function isGenuineId(id: Uint8Array, firstKey: RootKey): boolean {
  const around = [id.subarray(0, HEAD_BYTES), id.subarray(HEADER_BYTES)]
  return passesCheck(firstKey, ID_LAYOUT, id.subarray(HEAD_BYTES, HEADER_BYTES), around)
}

/** Parses an identifier. Returns undefined for an unknown kind and for bytes too short or too long for the kind. */
export function parseId(id: Uint8Array): ParsedId | undefined {
  if (id.length < HEADER_BYTES) return undefined
  const bytes = Buffer.from(id)
  const kind = KIND_OF_BYTE.get(bytes.readUInt8(0))
  if (kind === undefined || id.length > HEADER_BYTES + KINDS[kind].maxPayload) return undefined
  return { kind, rootKeyId: bytes.readUInt32BE(1), payload: bytes.subarray(HEADER_BYTES) }
}

/** The length of the longest identifier as text. */
const MAX_TEXT = Math.ceil((MAX_ID_BYTES * 4) / 3)
const BASE64URL = /^[A-Za-z0-9_-]+$/
/** The lowest code of a base64url character, that of "-". The bytes of kinds are lower. */
const LOWEST = 0x2d

/** Returns the identifier as spelt in a version 1 macaroon. */
export const textOfId = (id: Uint8Array): string => Buffer.from(id).toString('base64url')

/** Returns the bytes of an identifier in either spelling. */
export function bytesOfId(id: Uint8Array): Uint8Array {
  const text = isTextId(id) ? Buffer.from(id).toString('latin1') : undefined
  const bytes = text === undefined ? undefined : Buffer.from(text, 'base64url')
  // Accept only one spelling of these bytes, because their last character can have spare bits.
  return bytes && textOfId(bytes) === text ? bytes : id
}

/** Whether an identifier is spelt as text, as only in version 1 macaroons. */
export const isTextId = (id: Uint8Array): boolean =>
  (id[0] ?? 0) >= LOWEST && id.length <= MAX_TEXT && BASE64URL.test(Buffer.from(id).toString('latin1'))

export function deriveRootKey(rootKey: RootKey, id: Uint8Array): Uint8Array {
  return deriveKey(rootKey.secret, 'ratafia macaroon root key', id)
}
