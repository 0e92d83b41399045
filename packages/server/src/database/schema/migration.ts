import type { Words } from '../differences.ts'

export interface Migration {
  /**
   * `0002-what`, in the order of the list. It only adds, so that the previous release keeps working; dropping something
   * takes a migration one release later, named `0003-contract-what` (CONTRIBUTING.md).
   */
  readonly name: string
  /** The statements, in the SQL of one database. */
  readonly statements: (words: Words) => readonly string[]
}
