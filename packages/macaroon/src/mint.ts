import { hmac } from './hmac.ts'
import type { Macaroon } from './macaroon.ts'
import { deriveKey } from './signature.ts'
import { utf8, utf8Bytes } from './text.ts'

export interface MintInput {
  /** The secret that only the issuer knows. It must not be empty, and should have at least 16 random bytes. */
  readonly rootKey: Uint8Array
  /** The public id that the issuer uses to find the root key again. Text is encoded as UTF-8. */
  readonly id: Uint8Array | string
  /** The service that it is meant for, as an unsigned hint; empty by default. */
  readonly location?: string
  /** The format in which it will be written; 2 by default. */
  readonly version?: 1 | 2
}

/**
 * Mints a macaroon without caveats, which permits everything that its issuer allows.
 * Throws `TypeError` for an empty root key, and for an id that is not UTF-8 if `version` is 1.
 */
export function mint({ rootKey, id, location = '', version = 2 }: MintInput): Macaroon {
  checkRootKey(rootKey)
  utf8Bytes(location, 'The location')
  const idBytes = typeof id === 'string' ? utf8Bytes(id, 'The id') : Buffer.from(id)
  if (version === 1 && utf8(idBytes) === undefined) {
    throw new TypeError('The id of a version 1 macaroon must be UTF-8; use version 2 for a binary id')
  }
  return { version, location, id: idBytes, caveats: [], signature: hmac(deriveKey(rootKey), idBytes) }
}

/** Throws `TypeError` for an empty root key, which can only be a mistake. */
export function checkRootKey(rootKey: Uint8Array): void {
  if (!(rootKey instanceof Uint8Array) || rootKey.length === 0) {
    throw new TypeError('The root key must be a Uint8Array that is not empty')
  }
}
