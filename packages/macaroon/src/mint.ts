import { hmac } from './hmac.ts'
import type { Macaroon } from './macaroon.ts'
import { deriveKey } from './signature.ts'
import { utf8, utf8Bytes } from './text.ts'

export interface MintInput {
  /** The secret only the issuer knows; 16 bytes or more of it should be random. Not empty. */
  readonly rootKey: Uint8Array
  /** Public; how the issuer finds the root key again. A string is taken as UTF-8. */
  readonly id: Uint8Array | string
  /** Where it is meant to be used: a hint, not signed. Default empty. */
  readonly location?: string
  /** The format it will be written in. Default 2. */
  readonly version?: 1 | 2
}

/**
 * Makes a macaroon without caveats: it permits everything its issuer lets its holder do.
 * Throws `TypeError` for an empty root key, or for an id that is not UTF-8 when `version` is 1.
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

/** An empty key is not a secret, so it can only be a mistake. */
export function checkRootKey(rootKey: Uint8Array): void {
  if (!(rootKey instanceof Uint8Array) || rootKey.length === 0) {
    throw new TypeError('The root key must be a Uint8Array that is not empty')
  }
}
