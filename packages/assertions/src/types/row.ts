import type { Headers } from '../headers/header-value.ts'

/** The parts of an assertion that the checks of its type receive. */
export interface Source {
  readonly headers: Headers
  /** The body, already known to be UTF-8. */
  readonly body: Uint8Array
  /** The signing account; empty for types without authority. */
  readonly authorityId: string
  readonly signKeyId: string
}

/** One type of assertion: a row of the registry. */
export interface TypeRow<Fields> {
  /** Whether it names the account that signs. Types that do not are signed with the key they contain. */
  readonly authority: boolean
  /** The names of the headers that identify an assertion; their values are not empty and contain no `/`. */
  readonly primaryKey: readonly string[]
  /** The newest known format. */
  readonly maxFormat: number
  /** Returns the oldest format that allows these headers; always 0 if undefined. */
  readonly formatOf?: (headers: Headers) => number
  /** Checks and reads the type's own headers. Throws `AssertionError`. */
  readonly read: (source: Source) => Fields
  /**
   * Checks snapd's further rules, which no field depends on. Throws `AssertionError`. Assertions that were
   * stored before a rule was known are read without it (`DecodeOptions`).
   */
  readonly rules?: (source: Source) => void
}
