import type { Caveat, Macaroon } from './macaroon.ts'
import { chain } from './signature.ts'
import { utf8, utf8Bytes } from './text.ts'

/**
 * A macaroon like `macaroon` that is valid only while `condition` is met. Needs no key: any holder can do it,
 * nobody can undo it. A discharge must be restricted before it is bound.
 * Throws `TypeError` for bytes that are not UTF-8 when the macaroon is version 1.
 */
export function addFirstPartyCaveat(macaroon: Macaroon, condition: string | Uint8Array): Macaroon {
  const id = typeof condition === 'string' ? utf8Bytes(condition, 'The condition') : Buffer.from(condition)
  checkVersion1Text(macaroon, id)
  return withCaveat(macaroon, { id, location: '', verificationId: undefined })
}

/** The macaroon with one more caveat and the signature that goes with it. */
export function withCaveat(macaroon: Macaroon, caveat: Caveat): Macaroon {
  return {
    ...macaroon,
    caveats: [...macaroon.caveats, caveat],
    signature: chain(macaroon.signature, caveat.id, caveat.verificationId),
  }
}

/** Version 1 JSON has no way to write a binary caveat id. */
export function checkVersion1Text(macaroon: Macaroon, caveatId: Uint8Array): void {
  if (macaroon.version === 1 && utf8(caveatId) === undefined) {
    throw new TypeError('A caveat of a version 1 macaroon must be UTF-8; use version 2 for binary caveats')
  }
}
