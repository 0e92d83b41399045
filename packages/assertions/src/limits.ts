import { AssertionError } from './errors.ts'

/** What the decoders accept at most. Checked before anything is parsed (contract/devices.md 3.6). */
export interface Limits {
  /** Bytes of the headers of one assertion, the separator after them included. */
  readonly headerBytes: number
  /** Bytes of one body. */
  readonly bodyBytes: number
  /** Bytes of the text of one signature. */
  readonly signatureBytes: number
  /** Bytes of a whole stream. */
  readonly streamBytes: number
  /** Assertions in one stream. */
  readonly assertions: number
}

/** Headers 128 KiB, body 2 MiB and signature 128 KiB as snapd; streams of 4 MiB and 128 assertions. */
export const DEFAULT_LIMITS: Limits = Object.freeze({
  headerBytes: 128 * 1024,
  bodyBytes: 2 * 1024 * 1024,
  signatureBytes: 128 * 1024,
  streamBytes: 4 * 1024 * 1024,
  assertions: 128,
})

/** Throws {@link AssertionError} `limit-exceeded` when `actual` is over. */
export function checkLimit(what: string, actual: number, allowed: number): void {
  if (actual > allowed) {
    throw new AssertionError('limit-exceeded', `${what}: ${actual}, and at most ${allowed} are accepted`)
  }
}
