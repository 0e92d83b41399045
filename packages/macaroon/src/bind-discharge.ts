import type { Macaroon } from './macaroon.ts'
import { bound } from './signature.ts'

/**
 * Binds a discharge to `root`, to send both together; with any other macaroon it is useless. Bind every discharge to
 * the root, even one for a caveat of another discharge. Do it last, because neither accepts further caveats afterwards.
 */
export function bindDischarge(root: Macaroon, discharge: Macaroon): Macaroon {
  return { ...discharge, signature: bound(root.signature, discharge.signature) }
}
