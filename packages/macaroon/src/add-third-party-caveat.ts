import { randomBytes } from 'node:crypto'
import { checkVersion1Text, withCaveat } from './add-first-party-caveat.ts'
import type { Macaroon } from './macaroon.ts'
import { checkRootKey } from './mint.ts'
import { NONCE_BYTES, seal } from './secretbox.ts'
import { deriveKey } from './signature.ts'
import { utf8Bytes } from './text.ts'

export interface ThirdPartyCaveatInput {
  /** The root key of the discharge: random, new for each caveat, and known to the third party. */
  readonly rootKey: Uint8Array
  /** The id of the caveat and of its discharge, unique in the macaroon. */
  readonly id: Uint8Array | string
  /** The third party's location. It must not be empty, because some clients skip caveats without one. */
  readonly location: string
  /** 24 bytes, random by default. Never use one twice with a macaroon; pass it only to reproduce a known macaroon. */
  readonly nonce?: Uint8Array
}

/**
 * Returns a copy of the macaroon that also needs a discharge from a third party. Throws `TypeError` if a third-party
 * caveat already has this id (such a macaroon could never be verified), for an empty location or root key, and for a
 * nonce that is not 24 bytes.
 */
export function addThirdPartyCaveat(macaroon: Macaroon, input: ThirdPartyCaveatInput): Macaroon {
  const { rootKey, location, nonce = randomBytes(NONCE_BYTES) } = input
  checkRootKey(rootKey)
  const id = typeof input.id === 'string' ? utf8Bytes(input.id, 'The caveat id') : Buffer.from(input.id)
  checkVersion1Text(macaroon, id)
  if (nonce.length !== NONCE_BYTES)
    throw new TypeError(`The nonce must be ${NONCE_BYTES} bytes, not ${nonce.length}`)
  if (location === '') throw new TypeError('The location of the third party must not be empty')
  utf8Bytes(location, 'The location')
  if (macaroon.caveats.some((c) => c.verificationId !== undefined && Buffer.compare(c.id, id) === 0)) {
    throw new TypeError('The macaroon already has a third-party caveat with this id')
  }
  const box = seal(macaroon.signature, nonce, deriveKey(rootKey))
  return withCaveat(macaroon, { id, location, verificationId: Buffer.concat([nonce, box]) })
}
