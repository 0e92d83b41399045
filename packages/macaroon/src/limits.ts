import { MacaroonError } from './errors.ts'

/** What a decoder and `verify` accept at most. Checked before any cryptography. */
export interface Limits {
  /** Bytes of a whole slice, in binary. */
  readonly sliceBytes: number
  /** Macaroons in one slice: the root and its discharges. */
  readonly macaroons: number
  /** Caveats of one macaroon. */
  readonly caveats: number
  /** How deep discharges may nest: 1 means that no discharge may itself need one. */
  readonly nesting: number
  /** Bytes of the id of a macaroon or of a third-party caveat. */
  readonly idBytes: number
  /** Bytes of a first-party caveat. */
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

/** Throws {@link MacaroonError} `limit-exceeded` when `actual` is over; `what` completes "too many" or "too long". */
export function checkLimit(what: string, actual: number, allowed: number): void {
  if (actual > allowed) {
    throw new MacaroonError('limit-exceeded', `${what}: ${actual}, and at most ${allowed} are accepted`)
  }
}
