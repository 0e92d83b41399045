import type { Headers } from '../headers/header-value.ts'

/** The parts of an assertion that the checks of its type get. */
export interface Source {
  readonly headers: Headers
  /** Already checked to be UTF-8. */
  readonly body: Uint8Array
  /** Empty for types without authority. */
  readonly authorityId: string
  readonly signKeyId: string
}

/** One type of assertion: a row of the registry. */
export interface TypeRow<Fields> {
  /** Whether it says in whose name it is signed. Those that do not are signed by the key they are about. */
  readonly authority: boolean
  /** Its identity: headers that are not empty and have no `/`. */
  readonly primaryKey: readonly string[]
  /** The newest format that is known. */
  readonly maxFormat: number
  /** The oldest format that can say what these headers say; 0 when not given. */
  readonly formatOf?: (headers: Headers) => number
  /** Checks the headers that are the type's own and reads them. Throws `AssertionError`. */
  readonly read: (source: Source) => Fields
  /**
   * Checks what snapd demands besides, and what no field depends on. Throws `AssertionError`. Assertions that were
   * stored before a rule was known are read without it (`DecodeOptions`).
   */
  readonly rules?: (source: Source) => void
}
