import { AssertionError } from './errors.ts'

/** The limits of the decoders, checked before anything is parsed (contract/devices.md 3.6). */
export interface Limits {
  /** The size of one assertion's headers in bytes, including the separator after them. */
  readonly headerBytes: number
  /** The size of one body in bytes. */
  readonly bodyBytes: number
  /** The size of one signature's text in bytes. */
  readonly signatureBytes: number
  /** The size of a whole stream in bytes. */
  readonly streamBytes: number
  /** Assertions in one stream. */
  readonly assertions: number
}

/** snapd's limits for headers, body and signature, and streams of at most 4 MiB and 128 assertions. */
export const DEFAULT_LIMITS: Limits = Object.freeze({
  headerBytes: 128 * 1024,
  bodyBytes: 2 * 1024 * 1024,
  signatureBytes: 128 * 1024,
  streamBytes: 4 * 1024 * 1024,
  assertions: 128,
})

/** Throws {@link AssertionError} `limit-exceeded` if there are more than allowed. */
export function checkLimit(what: string, actual: number, allowed: number): void {
  if (actual > allowed) {
    throw new AssertionError('limit-exceeded', `too many ${what}: ${actual}, and the limit is ${allowed}`)
  }
}
