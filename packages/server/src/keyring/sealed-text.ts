/**
 * Short texts that carry their own proof, for URLs and tokens that are not stored. They are sealed and
 * authenticated under a key derived from a root key, a purpose and a salt.
 *
 *   text = base64url(0x01 | root key id 4 (big endian) | salt 16 | ciphertext | tag 16)
 *   salt = random 12 | check 4
 *   key  = HMAC-SHA256(secret of that root key, "ratafia sealed text" | 0 | salt | purpose)
 *
 * Anyone can request such texts before logging in, so there can be very many. The salt gives each its own
 * key, so the nonce can be constant. Older salts are 16 random bytes and have no check (`id-check.ts`).
 */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import { deriveKey } from './derive.ts'
import { checkedBytes, passesCheck, SALT_LAYOUT } from './id-check.ts'
import type { RootKey } from './key-store.ts'

const VERSION = 1
const HEAD_BYTES = 5
const SALT_BYTES = SALT_LAYOUT.randomBytes + SALT_LAYOUT.checkBytes
const TAG_BYTES = 16
const NONCE = Buffer.alloc(12)

/** A text that was parsed but not opened, so no part of it is verified. */
export interface UnverifiedText {
  readonly rootKeyId: number
  readonly head: Buffer
  readonly salt: Buffer
  readonly ciphertext: Buffer
  readonly tag: Buffer
}

export function sealText(
  { rootKey, firstKey }: { rootKey: RootKey; firstKey: RootKey },
  purpose: string,
  plaintext: Uint8Array,
): string {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(VERSION, 0)
  head.writeUInt32BE(rootKey.id, 1)
  const salt = checkedBytes(firstKey, SALT_LAYOUT, [head])
  const cipher = createCipheriv('aes-256-gcm', keyFor(rootKey, purpose, salt), NONCE).setAAD(head)
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return Buffer.concat([head, salt, ciphertext, cipher.getAuthTag()]).toString('base64url')
}

/** Parses a text. Returns undefined unless it has the one valid spelling. */
export function parseText(text: string): UnverifiedText | undefined {
  const bytes = Buffer.from(text, 'base64url')
  // Node's decoder accepts other alphabets and drops unknown characters, but each text must have one spelling only.
  if (bytes.toString('base64url') !== text) return undefined
  if (bytes.length < HEAD_BYTES + SALT_BYTES + TAG_BYTES || bytes[0] !== VERSION) return undefined
  return {
    rootKeyId: bytes.readUInt32BE(1),
    head: bytes.subarray(0, HEAD_BYTES),
    salt: bytes.subarray(HEAD_BYTES, HEAD_BYTES + SALT_BYTES),
    ciphertext: bytes.subarray(HEAD_BYTES + SALT_BYTES, -TAG_BYTES),
    tag: bytes.subarray(-TAG_BYTES),
  }
}

/** Whether this installation created the text, as far as its check can show. */
export const isGenuineText = ({ salt, head }: UnverifiedText, firstKey: RootKey): boolean =>
  passesCheck(firstKey, SALT_LAYOUT, salt, [head])

/** Returns the content; undefined if the text was altered or sealed for a different purpose. */
export function openText(rootKey: RootKey, purpose: string, text: UnverifiedText): Uint8Array | undefined {
  const key = keyFor(rootKey, purpose, text.salt)
  const decipher = createDecipheriv('aes-256-gcm', key, NONCE, { authTagLength: TAG_BYTES })
    .setAAD(text.head)
    .setAuthTag(text.tag)
  try {
    return Buffer.concat([decipher.update(text.ciphertext), decipher.final()])
  } catch {
    return undefined
  }
}

// Returns a key object: Node recognises bytes by an error that it throws and catches, 18 % of the cost of a nonce.
function keyFor(rootKey: RootKey, purpose: string, salt: Uint8Array): KeyObject {
  return createSecretKey(deriveKey(rootKey.secret, 'ratafia sealed text', salt, Buffer.from(purpose, 'utf8')))
}
