import { randomBytes } from 'node:crypto'
import { checkVersion1Text, withCaveat } from './add-first-party-caveat.ts'
import type { Macaroon } from './macaroon.ts'
import { checkRootKey } from './mint.ts'
import { NONCE_BYTES, seal } from './secretbox.ts'
import { deriveKey } from './signature.ts'
import { utf8Bytes } from './text.ts'

export interface ThirdPartyCaveatInput {
  /** Root key of the discharge that will answer: a fresh random one per caveat, which the third party learns too. */
  readonly rootKey: Uint8Array
  /** Will be the id of the discharge. Unique in the macaroon. */
  readonly id: Uint8Array | string
  /** Where the third party is. Some clients skip caveats without one, so it may not be empty. */
  readonly location: string
  /** 24 bytes, never used twice with one macaroon. Default random; given only to reproduce a known macaroon. */
  readonly nonce?: Uint8Array
}

/**
 * A macaroon like `macaroon` that needs, from now on, a discharge from a third party.
 * Throws `TypeError` when the id is already a third-party caveat's (such a macaroon could never be verified),
 * for an empty location or root key, and for a nonce that is not 24 bytes.
 */
export function addThirdPartyCaveat(macaroon: Macaroon, input: ThirdPartyCaveatInput): Macaroon {
  const { rootKey, location, nonce = randomBytes(NONCE_BYTES) } = input
  checkRootKey(rootKey)
  const id = typeof input.id === 'string' ? utf8Bytes(input.id, 'The caveat id') : Buffer.from(input.id)
  checkVersion1Text(macaroon, id)
  if (nonce.length !== NONCE_BYTES)
    throw new TypeError(`The nonce must be ${NONCE_BYTES} bytes, not ${nonce.length}`)
  if (location === '') throw new TypeError('The location must say where the third party is')
  utf8Bytes(location, 'The location')
  if (macaroon.caveats.some((c) => c.verificationId !== undefined && Buffer.compare(c.id, id) === 0)) {
    throw new TypeError('The macaroon already has a third-party caveat with this id')
  }
  const box = seal(macaroon.signature, nonce, deriveKey(rootKey))
  return withCaveat(macaroon, { id, location, verificationId: Buffer.concat([nonce, box]) })
}
