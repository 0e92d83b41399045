import type { Caveat, Macaroon } from './macaroon.ts'
import { chain } from './signature.ts'
import { utf8, utf8Bytes } from './text.ts'

/**
 * Returns a copy of the macaroon that is valid only while `condition` is met. This needs no key, so any holder can do
 * it, and it can't be undone. Restrict a discharge before you bind it. Throws `TypeError` for bytes that are not
 * UTF-8 if the macaroon is version 1.
 */
export function addFirstPartyCaveat(macaroon: Macaroon, condition: string | Uint8Array): Macaroon {
  const id = typeof condition === 'string' ? utf8Bytes(condition, 'The condition') : Buffer.from(condition)
  checkVersion1Text(macaroon, id)
  return withCaveat(macaroon, { id, location: '', verificationId: undefined })
}

/** Returns the macaroon with one more caveat and the matching signature. */
export function withCaveat(macaroon: Macaroon, caveat: Caveat): Macaroon {
  return {
    ...macaroon,
    caveats: [...macaroon.caveats, caveat],
    signature: chain(macaroon.signature, caveat.id, caveat.verificationId),
  }
}

/** Throws `TypeError` for a binary caveat id in version 1, because version 1 JSON can't contain it. */
export function checkVersion1Text(macaroon: Macaroon, caveatId: Uint8Array): void {
  if (macaroon.version === 1 && utf8(caveatId) === undefined) {
    throw new TypeError('A caveat of a version 1 macaroon must be UTF-8; use version 2 for binary caveats')
  }
}
