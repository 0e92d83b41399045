import type { Kysely } from 'kysely'
import type { Words } from '../differences.ts'
import type { Schema } from './schema.ts'

export interface Migration {
  /**
   * `0001-what`, in the order of the list. It only adds, so that the previous release keeps working; dropping something
   * takes a migration one release later, named `0001-contract-what` (CONTRIBUTING.md).
   */
  readonly name: string
  /**
   * Runs before the statements, in their transaction. A sentence, or lines, about rows that the statements cannot work
   * with, and what to do: then nothing is migrated. Undefined: all is well.
   */
  readonly check?: (query: Kysely<Schema>, words: Words) => Promise<string | undefined>
  /**
   * Runs after the statements, in their transaction: changes rows as SQL alone cannot. Returns a sentence for the
   * operator about rows that stay as they were; undefined: there are none.
   */
  readonly rows?: (query: Kysely<Schema>, words: Words) => Promise<string | undefined>
  /** The statements, in the SQL of one database. */
  readonly statements: (words: Words) => readonly string[]
}
