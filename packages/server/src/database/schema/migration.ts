import type { Words } from '../differences.ts'

export interface Migration {
  /**
   * `0002-what`, in the order of the list. A migration only adds, so that the previous release keeps working.
   * To drop something, use a migration one release later, named `0003-contract-what` (CONTRIBUTING.md).
   */
  readonly name: string
  /** Returns the statements in one database's SQL. */
  readonly statements: (words: Words) => readonly string[]
}
