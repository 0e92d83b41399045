import type { Macaroon } from './macaroon.ts'
import { bound } from './signature.ts'

/**
 * The discharge as it is sent along with `root`: useless with any other macaroon. Every discharge is bound to the root,
 * also one that answers a caveat of another discharge. Do it last: caveats cannot be added to either afterwards.
 */
export function bindDischarge(root: Macaroon, discharge: Macaroon): Macaroon {
  return { ...discharge, signature: bound(root.signature, discharge.signature) }
}
