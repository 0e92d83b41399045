import { MacaroonError } from './errors.ts'

/** The limits of the decoders and of `verify`, checked before any cryptography. */
export interface Limits {
  /** The size of a whole slice in bytes, in binary. */
  readonly sliceBytes: number
  /** Macaroons in a slice, counting the root and its discharges. */
  readonly macaroons: number
  /** The number of caveats in a macaroon. */
  readonly caveats: number
  /** The depth of nested discharges; 1 if no discharge may need one itself. */
  readonly nesting: number
  /** The size of the id of a macaroon or of a third-party caveat, in bytes. */
  readonly idBytes: number
  /** The size of a first-party caveat in bytes. */
  readonly conditionBytes: number
}

/** 48 KiB (64 KiB of base64), 16 macaroons, 128 caveats each, nesting 8, ids of 3 KiB, conditions of 24 KiB. */
export const DEFAULT_LIMITS: Limits = Object.freeze({
  sliceBytes: 48 * 1024,
  macaroons: 16,
  caveats: 128,
  nesting: 8,
  idBytes: 3 * 1024,
  conditionBytes: 24 * 1024,
})

/** Throws {@link MacaroonError} `limit-exceeded` if `actual` is more than allowed. The message begins with `what`. */
export function checkLimit(what: string, actual: number, allowed: number): void {
  if (actual > allowed) {
    throw new MacaroonError('limit-exceeded', `${what}: ${actual}, and the limit is ${allowed}`)
  }
}
