import { checkLimit, type Limits } from './limits.ts'
import type { Macaroon } from './macaroon.ts'

/** Throws {@link MacaroonError} `limit-exceeded` if a slice, read or built in memory, exceeds the limits. */
export function checkSliceLimits(slice: readonly Macaroon[], limits: Limits): void {
  checkLimit('Too many macaroons', slice.length, limits.macaroons)
  let bytes = 0
  for (const macaroon of slice) {
    checkMacaroonLimits(macaroon, limits)
    bytes += contentBytes(macaroon)
  }
  checkLimit('Macaroons with too many bytes', bytes, limits.sliceBytes)
}

/** Throws {@link MacaroonError} `limit-exceeded` if a macaroon exceeds the limits. */
export function checkMacaroonLimits(macaroon: Macaroon, limits: Limits): void {
  checkLimit('An id with too many bytes', macaroon.id.length, limits.idBytes)
  checkLimit('Too many caveats', macaroon.caveats.length, limits.caveats)
  for (const caveat of macaroon.caveats) {
    if (caveat.verificationId === undefined) {
      checkLimit('A condition with too many bytes', caveat.id.length, limits.conditionBytes)
    } else {
      checkLimit('A caveat id with too many bytes', caveat.id.length, limits.idBytes)
    }
  }
}

function contentBytes(macaroon: Macaroon): number {
  let bytes = macaroon.id.length + macaroon.location.length + macaroon.signature.length
  for (const { id, location, verificationId } of macaroon.caveats) {
    bytes += id.length + location.length + (verificationId?.length ?? 0)
  }
  return bytes
}
