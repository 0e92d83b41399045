import type { Words } from '../differences.ts'

export interface Migration {
  /**
   * `0001-what`, in the order of the list. It only adds, so that the release before goes on working; what takes away
   * comes a release later and is called `0001-contract-what` (CONTRIBUTING.md).
   */
  readonly name: string
  /** The statements, in the words of one database. */
  readonly statements: (words: Words) => readonly string[]
}
