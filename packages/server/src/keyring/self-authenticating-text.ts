/**
 * Short texts that carry their own proof, for URLs, tokens and nonces of which nothing is stored. A sealed text hides
 * its content; a signed one, which takes a third of the time to make, does not.
 *
 *   text        = base64url(version | root key id 4 (big endian) | salt 16 | content | tag 16)
 *   salt        = random 12 | check 4
 *   version 1, sealed: content and tag are AES-256-GCM's, with the version and the id as additional data, under
 *     key       = HMAC-SHA256(secret of that root key, "ratafia sealed text" | 0 | salt | purpose)
 *   version 2, signed: content as it is, and
 *     tag       = the first 16 bytes of
 *                 HMAC-SHA256(secret of that root key, "ratafia signed text" | 0 | purpose | 0 | all before the tag)
 *
 * Anyone can request such texts before logging in, so there may be very many: the salt gives each sealed one its own
 * key, so the nonce of GCM can be constant. Older salts are 16 random bytes and have no check (`id-check.ts`). A purpose
 * is a constant of the program, without zero bytes.
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { deriveKey } from './derive.ts'
import { checkedBytes, passesCheck, SALT_LAYOUT } from './id-check.ts'
import type { RootKey } from './root-key-store.ts'

const SEALED = 1
const SIGNED = 2
const HEAD_BYTES = 5
const SALT_BYTES = SALT_LAYOUT.randomBytes + SALT_LAYOUT.checkBytes
const TAG_BYTES = 16
const GCM_NONCE = Buffer.alloc(12)

/** What a text is made with: the key in use, and the one that checks salts. */
interface TextKeys {
  readonly rootKey: RootKey
  readonly firstKey: RootKey
}

/** A text that was taken apart: no part of it is verified. */
export interface UnverifiedText {
  readonly rootKeyId: number
  readonly head: Buffer
  readonly salt: Buffer
  readonly content: Buffer
  readonly tag: Buffer
}

export function sealText(keys: TextKeys, purpose: string, plaintext: Uint8Array): string {
  const { head, salt } = startOfText(SEALED, keys)
  const key = sealingKey(keys.rootKey, purpose, salt)
  const cipher = createCipheriv('aes-256-gcm', key, GCM_NONCE).setAAD(head)
  const content = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return Buffer.concat([head, salt, content, cipher.getAuthTag()]).toString('base64url')
}

export function signText(keys: TextKeys, purpose: string, content: Uint8Array): string {
  const { head, salt } = startOfText(SIGNED, keys)
  const tag = tagOf(keys.rootKey, purpose, { head, salt, content })
  return Buffer.concat([head, salt, content, tag]).toString('base64url')
}

/** Undefined for anything but the one spelling of such a text. */
export function parseText(text: string): UnverifiedText | undefined {
  const bytes = Buffer.from(text, 'base64url')
  // Node's decoder takes other alphabets and drops unknown characters: allow each text one spelling only.
  if (bytes.toString('base64url') !== text) return undefined
  if (bytes.length < HEAD_BYTES + SALT_BYTES + TAG_BYTES) return undefined
  return {
    rootKeyId: bytes.readUInt32BE(1),
    head: bytes.subarray(0, HEAD_BYTES),
    salt: bytes.subarray(HEAD_BYTES, HEAD_BYTES + SALT_BYTES),
    content: bytes.subarray(HEAD_BYTES + SALT_BYTES, -TAG_BYTES),
    tag: bytes.subarray(-TAG_BYTES),
  }
}

/** Whether this installation made the text, as far as its check says. */
export const isGenuineText = ({ salt, head }: UnverifiedText, firstKey: RootKey): boolean =>
  passesCheck(firstKey, SALT_LAYOUT, salt, [head])

/** Undefined if it was not sealed, sealed for another purpose, or altered. */
export function openText(rootKey: RootKey, purpose: string, text: UnverifiedText): Uint8Array | undefined {
  if (text.head[0] !== SEALED) return undefined
  const key = sealingKey(rootKey, purpose, text.salt)
  const decipher = createDecipheriv('aes-256-gcm', key, GCM_NONCE, { authTagLength: TAG_BYTES })
    .setAAD(text.head)
    .setAuthTag(text.tag)
  try {
    return Buffer.concat([decipher.update(text.content), decipher.final()])
  } catch {
    return undefined
  }
}

/** Undefined if it was not signed, signed for another purpose, or altered. */
export function verifyText(rootKey: RootKey, purpose: string, text: UnverifiedText): Uint8Array | undefined {
  if (text.head[0] !== SIGNED) return undefined
  return timingSafeEqual(text.tag, tagOf(rootKey, purpose, text)) ? text.content : undefined
}

function startOfText(version: number, { rootKey, firstKey }: TextKeys): { head: Buffer; salt: Buffer } {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(version, 0)
  head.writeUInt32BE(rootKey.id, 1)
  return { head, salt: checkedBytes(firstKey, SALT_LAYOUT, [head]) }
}

// A key object: Node tells bytes from one by an error that it throws and catches, some 7 µs.
function sealingKey(rootKey: RootKey, purpose: string, salt: Uint8Array): KeyObject {
  return createSecretKey(deriveKey(rootKey.secret, 'ratafia sealed text', salt, Buffer.from(purpose, 'utf8')))
}

function tagOf(
  { secret }: RootKey,
  purpose: string,
  { head, salt, content }: { head: Uint8Array; salt: Uint8Array; content: Uint8Array },
): Buffer {
  const named = Buffer.from(`${purpose}\0`, 'utf8')
  return deriveKey(secret, 'ratafia signed text', named, head, salt, content).subarray(0, TAG_BYTES)
}
