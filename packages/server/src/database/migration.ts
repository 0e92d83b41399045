import type { Words } from './differences.ts'

export interface Migration {
  /** `0001-what`, in the order of the list. */
  readonly name: string
  /** The statements, in the words of one database. */
  readonly statements: (words: Words) => readonly string[]
}
